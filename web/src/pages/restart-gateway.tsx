// A gateway runs a bot that was connected once it has been started again; the page waits for it at the same address.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { attempt } from '../parts/toast.tsx';
import { anotherGateway } from './another-gateway.ts';

export function RestartGateway({ onRestarted }: { onRestarted(): void }) {
  const [state, setState] = useState<'idle' | 'restarting' | 'restarted'>('idle');

  async function restart(): Promise<void> {
    setState('restarting');
    const isBack = await attempt(async () => {
      const { pid } = await call('gateway.restart', { setUp: true });
      await anotherGateway(pid, {
        status: () => call('gateway.status', {}),
        now: Date.now,
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      });
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
