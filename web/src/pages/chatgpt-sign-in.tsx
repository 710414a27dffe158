// Signing in to ChatGPT with a code: the gateway waits until it was entered at the address that it names, and keeps the sign-in.
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { say } from '../parts/toast.tsx';
import { useVisit } from '../parts/use-visit.ts';

const OPERATION = 'sign-in.chatgpt';

export function ChatGptSignIn({ onSignedIn }: { onSignedIn(): void }) {
  const { step, problem, begin, cancel } = useVisit(OPERATION);
  const signIn = (): Promise<void> =>
    begin(
      (abort) => call(OPERATION, { method: 'device', provider: 'openai-codex' }, abort),
      () => {
        say(t('chatgpt.done'));
        onSignedIn();
      },
    );

  return (
    <div class="stack card">
      <strong>{t('chatgpt.title')}</strong>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {step.kind === 'idle' && (
        <div class="row wrap">
          <span class="quiet grow">{t('chatgpt.about')}</span>
          <button type="button" class="button" onClick={() => void signIn()}>
            {t('chatgpt.start')}
          </button>
        </div>
      )}
      {step.kind === 'starting' && (
        <p class="quiet" role="status">
          {t('chatgpt.starting')}
        </p>
      )}
      {step.kind === 'waiting' && (
        <>
          <p>
            {t('chatgpt.step')}{' '}
            <a href={step.address} target="_blank" rel="noopener noreferrer">
              {step.address}
            </a>
          </p>
          <div class="row wrap">
            <output class="device-code" aria-label={t('chatgpt.code')}>
              {step.code}
            </output>
            <button
              type="button"
              class="icon-button"
              aria-label={t('copy')}
              onClick={() => void navigator.clipboard.writeText(step.code)}
            >
              <Icon name="copy" />
            </button>
            <span class="quiet grow" role="status">
              {t('chatgpt.waiting')}
            </span>
            <button type="button" class="button" onClick={cancel}>
              {t('cancel')}
            </button>
          </div>
        </>
      )}
    </div>
  );
}
