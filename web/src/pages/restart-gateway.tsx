// Starting the gateway again, for a bot that was connected or a setting that was changed; the page waits for it at the same address.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { ProblemNote } from '../parts/notes.tsx';
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
  const [problem, setProblem] = useState<unknown>();

  async function restart(): Promise<void> {
    setState('restarting');
    setProblem(undefined);
    try {
      const { pid } = await call('gateway.restart', { setUp: true });
      await anotherGateway(pid, {
        status: () => call('gateway.status', {}),
        now: Date.now,
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      });
      setState('restarted');
      onRestarted();
    } catch (refused) {
      // It says how the gateway is restarted where it cannot do that itself.
      setProblem(refused);
      setState('idle');
    }
  }

  if (state === 'restarted') return <p role="status">{doneText}</p>;
  if (state === 'restarting') return <p role="status">{t('bot.restarting')}</p>;
  return (
    <>
      <p>{text}</p>
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="row">
        <button type="button" class="button primary" onClick={() => void restart()}>
          {t('bot.restart')}
        </button>
      </div>
    </>
  );
}
