// Connecting a bot step by step: where to get its token, the try at the platform, and what remains to be done.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { type TextKey, t } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { RestartGateway } from './restart-gateway.tsx';

interface Platform {
  name: string;
  label: string;
  steps: readonly TextKey[];
  fields: readonly { key: string; label: TextKey; isSecret: boolean; choices?: readonly string[] }[];
}

const PLATFORMS: readonly Platform[] = [
  {
    name: 'telegram',
    label: 'Telegram',
    steps: ['bot.telegram1', 'bot.telegram2'],
    fields: [{ key: 'botToken', label: 'bot.token', isSecret: true }],
  },
  {
    name: 'feishu',
    label: 'Feishu / Lark',
    steps: ['bot.feishu1', 'bot.feishu2'],
    fields: [
      { key: 'domain', label: 'bot.domain', isSecret: false, choices: ['feishu', 'lark'] },
      { key: 'appId', label: 'bot.appId', isSecret: false },
      { key: 'appSecret', label: 'bot.appSecret', isSecret: true },
    ],
  },
];

export function ConnectBot({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const [platform, setPlatform] = useState<Platform>();
  return (
    <Dialog title={t('channels.connect')} onClose={onClose}>
      {platform ? (
        <ConnectForm platform={platform} onDone={onDone} onClose={onClose} />
      ) : (
        <div class="stack">
          <p>{t('bot.choose')}</p>
          {PLATFORMS.map((each) => (
            <button key={each.name} type="button" class="button wide" onClick={() => setPlatform(each)}>
              {each.label}
            </button>
          ))}
        </div>
      )}
    </Dialog>
  );
}

function ConnectForm({ platform, onDone, onClose }: { platform: Platform; onDone(): void; onClose(): void }) {
  const [settings, setSettings] = useState<Record<string, string>>(() =>
    Object.fromEntries(platform.fields.flatMap(({ key, choices }) => (choices?.[0] ? [[key, choices[0]]] : []))),
  );
  const [problem, setProblem] = useState<unknown>();
  const [isTrying, setTrying] = useState(false);
  const [bot, setBot] = useState<string>();
  if (bot !== undefined)
    return (
      <div class="stack">
        <p>{t('bot.connected', { bot })}</p>
        <RestartGateway text={t('bot.next')} doneText={t('bot.restarted')} onRestarted={onDone} />
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            {t('close')}
          </button>
        </div>
      </div>
    );
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        setTrying(true);
        setProblem(undefined);
        try {
          const connected = await call('setup.channel', { channel: platform.name, settings });
          setBot(connected.bot ?? platform.label);
          onDone();
        } catch (refused) {
          setProblem(refused);
        } finally {
          setTrying(false);
        }
      }}
    >
      <ol>
        {platform.steps.map((step) => (
          <li key={step}>{t(step)}</li>
        ))}
      </ol>
      {platform.fields.map(({ key, label, isSecret, choices }) => (
        <label key={key} class="field">
          <span>{t(label)}</span>
          {choices ? (
            <select
              value={settings[key]}
              onChange={(event) => setSettings({ ...settings, [key]: event.currentTarget.value })}
            >
              {choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          ) : (
            <input
              required
              type={(isSecret ? 'password' : 'text') as 'text'}
              autocomplete="off"
              value={settings[key] ?? ''}
              onInput={(event) => setSettings({ ...settings, [key]: event.currentTarget.value })}
            />
          )}
        </label>
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
