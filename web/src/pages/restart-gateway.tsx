// Starting the gateway again, for a bot that was connected or a setting that was changed; the page waits for it at the same address.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { attempt } from '../parts/toast.tsx';
import { anotherGateway } from './another-gateway.ts';

interface RestartProps {
  /** What the restart is for. */
  text: string;
  /** What to do once it is done. */
  doneText: string;
  onRestarted(): void;
}

export function RestartGateway({ text, doneText, onRestarted }: RestartProps) {
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

  if (state === 'restarted') return <p role="status">{doneText}</p>;
  if (state === 'restarting') return <p role="status">{t('bot.restarting')}</p>;
  return (
    <>
      <p>{text}</p>
      <div class="row">
        <button type="button" class="button primary" onClick={() => void restart()}>
          {t('bot.restart')}
        </button>
      </div>
    </>
  );
}
