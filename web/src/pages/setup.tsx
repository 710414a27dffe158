// Set-up in the browser: what a model can be connected with, a try with a real request, language and memory.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, language, t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';
import { ChatGptSignIn } from './chatgpt-sign-in.tsx';
import { SetupSearch } from './setup-search.tsx';

interface Choice {
  provider: string;
  label: string;
  about: string;
  key?: string;
  baseUrl?: string;
  model?: string;
  signedIn?: boolean;
}

type Setup = Output<'setup.detect'>;

export default function SetupPage() {
  const found = useLoaded((abort) => call('setup.detect', {}, abort), []);
  const [connected, setConnected] = useState<Output<'setup.connect'>>();
  return (
    <Page title={t('setup.title')} about={t('setup.about')}>
      {connected ? (
        <Done connected={connected} />
      ) : (
        <WhenLoaded of={found}>
          {(setup) => (
            <>
              {setup.present.isConnected && (
                <p class="note ok">
                  <Icon name="check" /> {t('setup.present', { model: setup.present.model ?? setup.present.provider })}
                </p>
              )}
              <Connect setup={setup} onConnected={setConnected} />
              {setup.present.isConnected && <SetupSearch />}
            </>
          )}
        </WhenLoaded>
      )}
    </Page>
  );
}

function Connect(props: { setup: Setup; onConnected(connected: Output<'setup.connect'>): void }) {
  const choices = choicesIn(props.setup);
  const withKey = props.setup.providers.filter(({ signIn }) => signIn !== 'chatgpt');
  const [memory, setMemory] = useState(true);
  const [provider, setProvider] = useState(() => likelyProvider(props.setup));
  const chosen = withKey.find(({ name }) => name === provider);
  const [key, setKey] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const [isTrying, setTrying] = useState(false);

  async function connect({ label: _label, about: _about, ...choice }: Choice): Promise<void> {
    setTrying(true);
    setProblem(undefined);
    try {
      props.onConnected(await call('setup.connect', { ...choice, language: language.value, memory } as never));
    } catch (refused) {
      setProblem(refused);
    } finally {
      setTrying(false);
    }
  }

  return (
    <div class="stack" aria-busy={isTrying}>
      <div class="row wrap bottom">
        <label class="field">
          <span>{t('settings.language')}</span>
          <select
            value={language.value}
            onChange={(event) => void chooseLanguage(event.currentTarget.value as (typeof LANGUAGES)[number])}
          >
            {LANGUAGES.map((each) => (
              <option key={each} value={each} lang={each}>
                {LANGUAGE_NAMES[each]}
              </option>
            ))}
          </select>
        </label>
        <label class="field check">
          <input type="checkbox" checked={memory} onChange={(event) => setMemory(event.currentTarget.checked)} />
          <span>{t('setup.memory')}</span>
        </label>
      </div>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {isTrying && (
        <p role="status" class="quiet">
          {t('setup.trying')}
        </p>
      )}
      {choices.length > 0 && (
        <section aria-labelledby="found">
          <h2 id="found">{t('setup.found')}</h2>
          <div class="cards grid">
            {choices.map((choice) => (
              <button
                key={choice.label + choice.about}
                type="button"
                class="card block"
                disabled={isTrying}
                onClick={() => void connect(choice)}
              >
                <strong>{choice.label}</strong>
                <span class="quiet">{choice.about}</span>
              </button>
            ))}
          </div>
        </section>
      )}
      <ChatGptSignIn
        onSignedIn={() => void connect({ provider: 'openai-codex', label: '', about: '', signedIn: true })}
      />
      <section aria-labelledby="with-key">
        <h2 id="with-key">{t('setup.withKey')}</h2>
        <form
          class="stack card"
          onSubmit={(event) => {
            event.preventDefault();
            const given = {
              ...(key !== '' && chosen?.signIn !== 'none' && { key }),
              ...(baseUrl !== '' && { baseUrl }),
            };
            void connect({ provider, label: '', about: '', ...given });
          }}
        >
          <label class="field">
            <span>{t('setup.provider')}</span>
            <select value={provider} onChange={(event) => setProvider(event.currentTarget.value)}>
              {withKey.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {chosen?.signIn !== 'none' && (
            <label class="field">
              <span>
                {t('setup.key')} {chosen?.signIn === 'optional-key' && <span class="quiet">· {t('optional')}</span>}
              </span>
              <input
                type="password"
                autocomplete="off"
                value={key}
                onInput={(event) => setKey(event.currentTarget.value)}
              />
            </label>
          )}
          {chosen?.keyPage !== undefined && (
            <a href={chosen.keyPage} target="_blank" rel="noopener noreferrer">
              {t('setup.getKey')}: {chosen.label}
            </a>
          )}
          <label class="field">
            <span>
              {t('setup.address')} <span class="quiet">· {t('optional')}</span>
            </span>
            <input type="url" value={baseUrl} onInput={(event) => setBaseUrl(event.currentTarget.value)} />
          </label>
          <div class="row end">
            <button type="submit" class="button primary" disabled={isTrying}>
              {t('setup.try')}
            </button>
          </div>
        </form>
      </section>
    </div>
  );
}

function Done({ connected }: { connected: Output<'setup.connect'> }) {
  return (
    <div class="stack">
      <p class="note ok">
        <Icon name="check" /> {t('setup.done', { model: `${connected.provider}/${connected.model}` })}
      </p>
      {connected.warning !== undefined && <p class="note">{connected.warning}</p>}
      <div class="row">
        <a class="button primary" href={hrefOf('chat')}>
          {t('chat.new')}
        </a>
        <a class="button" href={hrefOf('channels')}>
          {t('channels.connect')}
        </a>
      </div>
      <SetupSearch />
    </div>
  );
}

/** Of a key that was found here, else the first whose key people paste. */
function likelyProvider({ connections, providers }: Setup): string {
  const [found] = connections.keys;
  return found?.provider ?? providers.find(({ signIn }) => signIn === 'api-key')?.name ?? '';
}

function choicesIn({ connections }: Setup): Choice[] {
  const { signIns, keys, servers } = connections;
  return [
    ...signIns.map(({ provider, email, kind }) => ({
      provider,
      label: provider,
      about: email ?? kind,
      signedIn: true,
    })),
    ...keys.map(({ provider, label, variable }) => ({ provider, label, about: variable })),
    ...servers
      .filter(({ models }) => models.length > 0)
      .map(({ provider, label, baseUrl, models }) => ({
        provider,
        label,
        about: models
          .map(({ id }) => id)
          .slice(0, 3)
          .join(', '),
        baseUrl,
        model: models[0]?.id,
      })),
  ];
}
