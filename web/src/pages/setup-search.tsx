// The search of the web: which service is asked, tried before it is stored. The tool web_search is there from the next turn on.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

type Found = Output<'setup.findSearch'>;
type Service = Found['services'][number];

export function SetupSearch() {
  const found = useLoaded((abort) => call('setup.findSearch', {}, abort), []);
  return (
    <section aria-labelledby="search">
      <h2 id="search">{t('search.title')}</h2>
      <p class="quiet">{t('search.about')}</p>
      <WhenLoaded of={found}>{(search) => <SearchForm found={search} />}</WhenLoaded>
    </section>
  );
}

function SearchForm({ found }: { found: Found }) {
  const services = servicesIn(found);
  const [present, setPresent] = useState(found.service);
  const [name, setName] = useState(found.service ?? services[0]?.service ?? '');
  const chosen = services.find(({ service }) => service === name);
  const [apiKey, setApiKey] = useState('');
  const [address, setAddress] = useState(found.address ?? '');
  const [problem, setProblem] = useState<unknown>();
  const [isTrying, setTrying] = useState(false);

  async function connect(): Promise<void> {
    setTrying(true);
    setProblem(undefined);
    try {
      const { service } = await call('setup.search', {
        service: name,
        ...(apiKey !== '' && chosen?.needsKey && { apiKey }),
        ...(address !== '' && chosen?.needsAddress && { address }),
      } as never);
      setPresent(service);
      setApiKey('');
    } catch (refused) {
      setProblem(refused);
    } finally {
      setTrying(false);
    }
  }

  return (
    <form
      class="stack card"
      aria-busy={isTrying}
      onSubmit={(event) => {
        event.preventDefault();
        void connect();
      }}
    >
      {present !== undefined && (
        <p class="note ok" role="status">
          <Icon name="check" /> {t('search.present', { service: labelOf(present, services) })}
        </p>
      )}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <label class="field">
        <span>{t('search.service')}</span>
        <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
          {services.map(({ service, label }) => (
            <option key={service} value={service}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {name === 'model' && <p class="quiet">{t('search.modelCost')}</p>}
      {chosen?.needsKey && (
        <label class="field">
          <span>
            {t('search.key')} {chosen.hasKey && <span class="quiet">· {t('search.hasKey')}</span>}
          </span>
          <input
            type="password"
            autocomplete="off"
            value={apiKey}
            required={!chosen.hasKey}
            onInput={(event) => setApiKey(event.currentTarget.value)}
          />
        </label>
      )}
      {chosen?.keyPage !== undefined && (
        <a href={chosen.keyPage} target="_blank" rel="noopener noreferrer">
          {t('setup.getKey')}: {chosen.label}
        </a>
      )}
      {chosen?.needsAddress && (
        <label class="field">
          <span>{t('search.address')}</span>
          <input
            type="url"
            placeholder="http://127.0.0.1:8888"
            required
            value={address}
            onInput={(event) => setAddress(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="row end">
        <button type="submit" class="button primary" disabled={isTrying}>
          {t('search.try')}
        </button>
      </div>
    </form>
  );
}

/** The model itself comes first, where it searches. */
function servicesIn({ services, provider }: Found): Service[] {
  if (provider === undefined) return [...services];
  const model = { service: 'model', label: t('search.model', { provider }) };
  return [{ ...model, needsKey: false, hasKey: true, needsAddress: false }, ...services];
}

function labelOf(name: string, services: readonly Service[]): string {
  return services.find(({ service }) => service === name)?.label ?? name;
}
