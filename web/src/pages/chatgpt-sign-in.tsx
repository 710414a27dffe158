// Signing in to ChatGPT with a code: the gateway waits until it was entered at the address that it names, and keeps the sign-in.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { onStream } from '../events/stream.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { say } from '../parts/toast.tsx';

type Step = { kind: 'idle' } | { kind: 'starting' } | { kind: 'waiting'; address: string; code: string };

export function ChatGptSignIn({ onSignedIn }: { onSignedIn(): void }) {
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const [problem, setProblem] = useState<unknown>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);

  async function signIn(): Promise<void> {
    const abort = new AbortController();
    leaving.current = abort;
    setProblem(undefined);
    setStep({ kind: 'starting' });
    const end = onStream(({ type, operation, address, code }) => {
      if (type === 'sign-in' && operation === 'sign-in.chatgpt' && isWebAddress(address))
        setStep({ kind: 'waiting', address, code: String(code ?? '') });
    });
    try {
      await call('sign-in.chatgpt', { method: 'device', provider: 'openai-codex' }, abort.signal);
      say(t('chatgpt.done'));
      onSignedIn();
    } catch (refused) {
      if (!abort.signal.aborted) setProblem(refused);
    } finally {
      end();
      setStep({ kind: 'idle' });
    }
  }

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
            <button type="button" class="button" onClick={() => leaving.current?.abort()}>
              {t('cancel')}
            </button>
          </div>
        </>
      )}
    </div>
  );
}

function isWebAddress(address: unknown): address is string {
  return typeof address === 'string' && /^https?:\/\//.test(address);
}
