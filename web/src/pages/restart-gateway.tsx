// A gateway runs a bot that was connected once it has been started again; the page waits for it at the same address.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { attempt } from '../parts/toast.tsx';

const LOOK_EVERY_MS = 500;
const LONGEST_MS = 90_000;

export function RestartGateway({ onRestarted }: { onRestarted(): void }) {
  const [state, setState] = useState<'idle' | 'restarting' | 'restarted'>('idle');

  async function restart(): Promise<void> {
    setState('restarting');
    const isBack = await attempt(async () => {
      const { pid } = await call('gateway.restart', { setUp: true });
      await anotherThan(pid);
      return true;
    });
    setState(isBack ? 'restarted' : 'idle');
    if (isBack) onRestarted();
  }

  if (state === 'restarted') return <p role="status">{t('bot.restarted')}</p>;
  if (state === 'restarting') return <p role="status">{t('bot.restarting')}</p>;
  return (
    <>
      <p>{t('bot.next')}</p>
      <div class="row">
        <button type="button" class="button primary" onClick={() => void restart()}>
          {t('bot.restart')}
        </button>
      </div>
    </>
  );
}

/** Resolves when another process answers as the gateway. Rejects when none does for long. */
async function anotherThan(pid: number): Promise<void> {
  const deadline = Date.now() + LONGEST_MS;
  for (;;) {
    const found = await call('gateway.status', {}).catch((problem: unknown) => {
      if (Date.now() > deadline) throw problem;
      return undefined;
    });
    if (found?.status === 'running' && found.pid !== pid && found.phase === 'running') return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
