// Core memory, edited in place.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const SECTIONS = ['user', 'agent'] as const;
type Section = (typeof SECTIONS)[number];

export function CoreFacts({ scope }: { scope: string }) {
  const given = scope === '' ? {} : { scope };
  const facts = useLoaded((abort) => call('core-memory.get', given, abort), [scope]);
  return (
    <section aria-labelledby="core">
      <h2 id="core">{t('core.title')}</h2>
      <p class="quiet">{t('core.about')}</p>
      <WhenLoaded of={facts}>
        {(value) => (
          <div class="cards two">
            {SECTIONS.map((section) => (
              <div key={section} class="card">
                <h3>{t(section === 'user' ? 'core.user' : 'core.agent')}</h3>
                <ul class="facts">
                  {Object.entries(value[section]).map(([key, text]) => (
                    <Fact
                      key={`${key}-${text}`}
                      section={section}
                      name={key}
                      text={text}
                      scope={given}
                      onDone={facts.reload}
                    />
                  ))}
                </ul>
                <NewFact section={section} scope={given} onDone={facts.reload} />
              </div>
            ))}
          </div>
        )}
      </WhenLoaded>
    </section>
  );
}

interface FactProps {
  section: Section;
  scope: { scope?: string };
  onDone(): void;
}

function Fact({ section, name, text, scope, onDone }: FactProps & { name: string; text: string }) {
  return (
    <li class="row">
      <label class="grow field">
        <span>{name}</span>
        <input
          defaultValue={text}
          onChange={async (event) => {
            const { value } = event.currentTarget;
            await attempt(() => call('core-memory.set', { section, key: name, value, ...scope }));
            onDone();
          }}
        />
      </label>
      <button
        type="button"
        class="icon-button"
        aria-label={t('core.delete', { name })}
        onClick={async () => {
          await attempt(() => call('core-memory.delete', { section, key: name, ...scope }));
          onDone();
        }}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}

function NewFact({ section, scope, onDone }: FactProps) {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  return (
    <form
      class="row"
      onSubmit={async (event) => {
        event.preventDefault();
        const done = await attempt(() => call('core-memory.set', { section, key: name.trim(), value: text, ...scope }));
        if (!done) return;
        setName('');
        setText('');
        onDone();
      }}
    >
      <input
        value={name}
        placeholder={t('core.name')}
        aria-label={t('core.name')}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <input
        value={text}
        placeholder={t('core.value')}
        aria-label={t('core.value')}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button
        type="submit"
        class="icon-button"
        aria-label={t('core.add')}
        disabled={name.trim() === '' || text.trim() === ''}
      >
        <Icon name="plus" />
      </button>
    </form>
  );
}
