// Connecting a bot step by step: what to do on its platform, the try there, and what remains to be done. What each platform asks
// for comes from the gateway.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { language, t } from '../language/language.ts';
import { Dialog, focusFirstField } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { RestartGateway } from './restart-gateway.tsx';

type Platform = Output<'setup.channels'>[number];
type Ask = Platform['asks'][number];

export function ConnectBot({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const platforms = useLoaded((abort) => call('setup.channels', { language: language.value }, abort), [language.value]);
  const [name, setName] = useState<string>();
  const chosen = platforms.value?.find(({ channel }) => channel === name);
  return (
    <Dialog title={chosen?.title ?? t('channels.connect')} onClose={onClose}>
      {chosen ? (
        <ConnectForm platform={chosen} onDone={onDone} onClose={onClose} />
      ) : (
        <WhenLoaded of={platforms}>
          {(listed) => (
            <div class="stack">
              <p>{t('bot.choose')}</p>
              {listed.map(({ channel, offer }) => (
                <button key={channel} type="button" class="button wide" onClick={() => setName(channel)}>
                  {offer}
                </button>
              ))}
            </div>
          )}
        </WhenLoaded>
      )}
    </Dialog>
  );
}

interface ConnectFormProps {
  platform: Platform;
  onDone(): void;
  onClose(): void;
}

function ConnectForm({
  platform: { channel, offer, steps, stepsOnceRunning, asks },
  onDone,
  onClose,
}: ConnectFormProps) {
  const [settings, setSettings] = useState<Record<string, string>>(() =>
    Object.fromEntries(asks.map(({ key, choices }) => [key, choices?.[0]?.value ?? ''])),
  );
  const [problem, setProblem] = useState<unknown>();
  const [isTrying, setTrying] = useState(false);
  const [bot, setBot] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirstField(form.current), []);
  if (bot !== undefined)
    return (
      <div class="stack">
        <p>{t('bot.connected', { bot })}</p>
        <RestartGateway text={t('bot.next')} doneText={t('bot.restarted')} onRestarted={onDone} />
        {stepsOnceRunning.length > 0 && (
          <>
            <p>{t('bot.onceRunning')}</p>
            <Steps steps={stepsOnceRunning} />
          </>
        )}
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            {t('close')}
          </button>
        </div>
      </div>
    );
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        setTrying(true);
        setProblem(undefined);
        try {
          const connected = await call('setup.channel', { channel, settings });
          setBot(connected.bot ?? offer);
          onDone();
        } catch (refused) {
          setProblem(refused);
        } finally {
          setTrying(false);
        }
      }}
    >
      <Steps steps={steps} />
      {asks.map((ask) => (
        <Answer
          key={ask.key}
          ask={ask}
          value={settings[ask.key] ?? ''}
          onChange={(value) => setSettings({ ...settings, [ask.key]: value })}
        />
      ))}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="row end">
        <button type="submit" class="button primary" disabled={isTrying}>
          {t(isTrying ? 'bot.trying' : 'bot.try')}
        </button>
      </div>
    </form>
  );
}

/** Addresses in them can be followed. */
function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol>
      {steps.map((step) => (
        <li key={step}>
          {step.split(/(https:\/\/[\w./-]*\w)/).map((part, index) =>
            index % 2 === 1 ? (
              <a key={part} href={part} target="_blank" rel="noopener noreferrer">
                {part}
              </a>
            ) : (
              part
            ),
          )}
        </li>
      ))}
    </ol>
  );
}

interface AnswerProps {
  ask: Ask;
  value: string;
  onChange(value: string): void;
}

/** A choice without a value of its own is typed. */
function Answer({ ask: { question, isSecret, choices }, value, onChange }: AnswerProps) {
  const [place, setPlace] = useState(0);
  const chosen = choices?.[place];
  return (
    <>
      {choices && (
        <label class="field">
          <span>{question}</span>
          <select
            value={String(place)}
            onChange={(event) => {
              const next = Number(event.currentTarget.value);
              setPlace(next);
              onChange(choices[next]?.value ?? '');
            }}
          >
            {choices.map(({ label }, index) => (
              <option key={label} value={String(index)}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {chosen?.value === undefined && (
        <label class="field">
          <span>{chosen?.question ?? question}</span>
          <input
            required
            type={(isSecret ? 'password' : 'text') as 'text'}
            autocomplete="off"
            spellcheck={false}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}
