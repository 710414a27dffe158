// Who may use the console: the browsers that are signed in, and people with conversations of their own.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { relativeText } from '../language/format.ts';
import { personText, t } from '../language/language.ts';
import { ConfirmDialog, Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { me } from '../state/me.ts';
import { browserName } from './browser-name.ts';

export function Browsers() {
  const browsers = useLoaded((abort) => call('console.sessions', {}, abort), []);
  return (
    <section aria-labelledby="browsers">
      <h2 id="browsers">{t('browsers.title')}</h2>
      <WhenLoaded of={browsers}>
        {(listed) => (
          <ul class="lines">
            {listed.map(({ id, name, agent, seenAt }) => (
              <li key={id} class="row wrap">
                <span class="grow">
                  <strong>{personText(name)}</strong> {browserName(agent)}{' '}
                  <span class="quiet">{t('browsers.seen', { when: relativeText(seenAt) })}</span>
                </span>
                {id === me.value?.sessionId ? (
                  <span class="state ok">{t('browsers.this')}</span>
                ) : (
                  <button
                    type="button"
                    class="button small"
                    onClick={async () => {
                      await attempt(() => call('console.revoke', { id }));
                      browsers.reload();
                    }}
                  >
                    {t('browsers.revoke')}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </WhenLoaded>
    </section>
  );
}

export function People() {
  const people = useLoaded((abort) => call('console.people', {}, abort), []);
  const [name, setName] = useState('');
  const [link, setLink] = useState<string>();
  const [removing, setRemoving] = useState<{ id: string; name: string }>();
  const show = async (work: () => Promise<{ url: string }>): Promise<void> => {
    const made = await attempt(work);
    if (made) setLink(made.url);
    people.reload();
  };
  return (
    <section aria-labelledby="people">
      <h2 id="people">{t('people.title')}</h2>
      <p class="quiet">{t('people.about')}</p>
      <WhenLoaded of={people}>
        {(listed) => (
          <ul class="lines">
            {listed.map((person) => (
              <li key={person.id} class="row">
                <span class="grow">{person.name}</span>
                <button
                  type="button"
                  class="button small"
                  onClick={() => void show(() => call('console.link', { person: person.id }))}
                >
                  {t('people.link')}
                </button>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={t('delete.of', { title: person.name })}
                  onClick={() => setRemoving(person)}
                >
                  <Icon name="trash" />
                </button>
              </li>
            ))}
          </ul>
        )}
      </WhenLoaded>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void show(() => call('console.invite', { name: name.trim() })).then(() => setName(''));
        }}
      >
        <input
          required
          value={name}
          placeholder={t('people.name')}
          aria-label={t('people.name')}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="button">
          {t('people.invite')}
        </button>
      </form>
      {link !== undefined && (
        <Dialog title={t('people.linkTitle')} onClose={() => setLink(undefined)}>
          <p>{t('people.linkText')}</p>
          <input
            readOnly
            value={link}
            aria-label={t('people.linkTitle')}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Dialog>
      )}
      {removing && (
        <ConfirmDialog
          title={t('people.removeTitle', { name: removing.name })}
          text={t('people.removeText')}
          action={t('delete')}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await attempt(() => call('console.removePerson', { id: removing.id }));
            people.reload();
          }}
        />
      )}
    </section>
  );
}
