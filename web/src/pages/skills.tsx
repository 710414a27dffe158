// Skills: read one, install from a folder, a git address or npm, remove.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { Markdown } from '../chat/markdown.tsx';
import { t, wordText } from '../language/language.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';

export default function Skills({ id }: { id?: string }) {
  const [source, setSource] = useState('');
  const [removing, setRemoving] = useState<string>();
  const skills = useLoaded((abort) => call('skills.list', {}, abort), []);
  return (
    <Page title={t('page.skills')} about={t('skills.about')}>
      <form
        class="row"
        onSubmit={async (event) => {
          event.preventDefault();
          const done = await attempt(() => call('skills.install', { source: source.trim() }));
          if (!done) return;
          say(t('skills.installed', { names: done.installed.map(({ name }) => name).join(', ') }));
          setSource('');
          skills.reload();
        }}
      >
        <input
          required
          value={source}
          placeholder={t('skills.source')}
          aria-label={t('skills.source')}
          onInput={(event) => setSource(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          {t('skills.install')}
        </button>
      </form>
      <WhenLoaded of={skills}>
        {({ skills: listed, problems }) => (
          <>
            {problems.map(({ folder, reason }) => (
              <p key={folder} class="note problem">
                {folder}: {reason}
              </p>
            ))}
            {listed.length === 0 && (
              <EmptyState icon="book" title={t('skills.emptyTitle')} text={t('skills.emptyText')} />
            )}
            <ul class="cards">
              {listed.map(({ name, description, source: place }) => (
                <li key={name} class="card">
                  <div class="row">
                    <a href={hrefOf('skills', name === id ? undefined : name)} aria-expanded={name === id}>
                      <strong>{name}</strong>
                    </a>
                    <span class="quiet">{wordText(place)}</span>
                    <span class="grow" />
                    {place === 'home' && (
                      <button
                        type="button"
                        class="icon-button"
                        aria-label={t('delete.of', { title: name })}
                        onClick={() => setRemoving(name)}
                      >
                        <Icon name="trash" />
                      </button>
                    )}
                  </div>
                  <p>{description}</p>
                  {name === id && <SkillText name={name} />}
                </li>
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
      {removing !== undefined && (
        <ConfirmDialog
          title={t('skills.removeTitle', { name: removing })}
          text={t('skills.removeText')}
          action={t('delete')}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await attempt(() => call('skills.remove', { name: removing }));
            skills.reload();
          }}
        />
      )}
    </Page>
  );
}

function SkillText({ name }: { name: string }) {
  const skill = useLoaded((abort) => call('skills.show', { name }, abort), [name]);
  return (
    <WhenLoaded of={skill}>
      {({ content, files }) => (
        <>
          <Markdown text={content} />
          {files.length > 0 && <p class="quiet">{files.map(({ path }) => path).join(', ')}</p>}
        </>
      )}
    </WhenLoaded>
  );
}
