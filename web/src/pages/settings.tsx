// Settings: how the console looks, config.json as a form with defaults and sources, sign-ins to providers, and the browsers that
// are signed in.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, language, t } from '../language/language.ts';
import { translated } from '../language/settings/setting-texts.ts';
import { Icon } from '../parts/icon.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';
import { isOwner } from '../state/me.ts';
import { askToNotify, permission } from '../state/notifications.ts';
import { chooseTheme, THEMES, theme } from '../state/theme.ts';
import { Browsers, People } from './people.tsx';
import { RestartGateway } from './restart-gateway.tsx';
import { SignIns } from './sign-ins.tsx';

type Setting = Output<'config.list'>[number] & { acceptedText: string };

export default function Settings() {
  return (
    <Page
      title={t('page.settings')}
      actions={
        isOwner.value && (
          <a class="button" href={hrefOf('setup')}>
            {t('settings.setUp')}
          </a>
        )
      }
    >
      <Appearance />
      {isOwner.value && <OwnersSettings />}
    </Page>
  );
}

function OwnersSettings() {
  const settings = useLoaded(
    async (abort) => translated(await call('config.list', {}, abort), language.value),
    [language.value],
  );
  const gateway = useLoaded((abort) => call('gateway.status', {}, abort), []);
  const [words, setWords] = useState('');
  const [isRestarted, setRestarted] = useState(false);
  const pending = [
    ...(settings.value ?? []).flatMap(({ key, needsRestart }) => (needsRestart ? [key] : [])),
    ...((gateway.value?.status === 'running' && gateway.value.settings?.restartNeeded) || []),
  ];
  return (
    <>
      <SignIns />
      <Browsers />
      <People />
      <section aria-labelledby="config">
        <h2 id="config">config.json</h2>
        <input
          type="search"
          value={words}
          placeholder={t('settings.search')}
          aria-label={t('settings.search')}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        {pending.length > 0 && (
          <div class="card stack restart">
            <RestartGateway
              text={t('settings.restart', { settings: pending.join(', ') })}
              doneText={t('settings.restarted')}
              onRestarted={() => {
                setRestarted(true);
                settings.reload();
                gateway.reload();
              }}
            />
          </div>
        )}
        {pending.length === 0 && isRestarted && (
          <p class="note ok" role="status">
            {t('settings.restarted')}
          </p>
        )}
        <WhenLoaded of={settings}>
          {(listed) => (
            <ul class="settings">
              {listed
                .filter(({ key, about }) => `${key} ${about}`.toLowerCase().includes(words.trim().toLowerCase()))
                .map((setting) => (
                  <SettingLine
                    key={`${setting.key}-${JSON.stringify(setting.value)}`}
                    setting={setting}
                    onDone={() => {
                      setRestarted(false);
                      settings.reload();
                    }}
                  />
                ))}
            </ul>
          )}
        </WhenLoaded>
      </section>
    </>
  );
}

function Appearance() {
  return (
    <section aria-labelledby="appearance">
      <h2 id="appearance">{t('settings.appearance')}</h2>
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
        <label class="field">
          <span>{t('settings.theme')}</span>
          <select
            value={theme.value}
            onChange={(event) => chooseTheme(event.currentTarget.value as (typeof THEMES)[number])}
          >
            {THEMES.map((each) => (
              <option key={each} value={each}>
                {t(`theme.${each}`)}
              </option>
            ))}
          </select>
        </label>
        {permission.value === 'default' && (
          <button type="button" class="button" onClick={askToNotify}>
            <Icon name="bell" /> {t('settings.notify')}
          </button>
        )}
        {permission.value === 'granted' && <p class="quiet">{t('settings.notifies')}</p>}
        {permission.value === 'denied' && <p class="quiet">{t('settings.notifyDenied')}</p>}
      </div>
    </section>
  );
}

function SettingLine({ setting, onDone }: { setting: Setting; onDone(): void }) {
  const { key, value, source, accepted, acceptedText, about, problem, default: usual, variable } = setting;
  const isFixed = source === 'environment';
  const choices = choicesOf(accepted);
  const written = writtenValue(value);
  const store = async (text: string): Promise<void> => {
    const done = await attempt<unknown>(() =>
      text === '' ? call('config.unset', { key }) : call('config.set', { key, value: text }),
    );
    if (done) say(t('settings.saved', { key }));
    onDone();
  };
  return (
    <li class="setting">
      <label for={`setting-${key}`}>
        <strong>{key}</strong>
        <span class="quiet">{about}</span>
      </label>
      <div>
        {choices ? (
          <select
            id={`setting-${key}`}
            value={written}
            disabled={isFixed}
            onChange={(event) => void store(event.currentTarget.value)}
          >
            {!choices.includes(written) && <option value={written}>{written}</option>}
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : (
          <input
            id={`setting-${key}`}
            defaultValue={written}
            disabled={isFixed}
            onChange={(event) => void store(event.currentTarget.value.trim())}
          />
        )}
        <p class="quiet">
          {t(`source.${source}`)}
          {isFixed && variable !== undefined && ` ${variable}`}
          {usual !== undefined && source !== 'default' && ` · ${t('settings.default', { value: writtenValue(usual) })}`}
          {!choices && ` · ${t('settings.accepted', { accepted: acceptedText })}`}
        </p>
        {problem !== undefined && <p class="problem-text">{problem}</p>}
      </div>
      {source === 'file' && (
        <button
          type="button"
          class="icon-button"
          aria-label={t('settings.unset', { key })}
          title={t('settings.unset', { key })}
          onClick={() => void store('')}
        >
          <Icon name="undo" />
        </button>
      )}
    </li>
  );
}

/** As on a command line. */
function writtenValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `a, b or c` names choices; anything longer is a description. */
export function choicesOf(accepted: string): string[] | undefined {
  const words = accepted.split(/,\s*|\s+or\s+/).map((word) => word.trim());
  return words.length > 1 && words.every((word) => /^[\w-]+$/.test(word)) ? words : undefined;
}
