// Memory: the facts that are in every request, and the archive with its search.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { numberText, timeText } from '../language/format.ts';
import { personText, t, wordText } from '../language/language.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { isOwner } from '../state/me.ts';
import { CoreFacts } from './core-facts.tsx';
import { Facts } from './facts.tsx';

export default function Memory() {
  const [scope, setScope] = useState('');
  const [words, setWords] = useState('');
  const [saved, setSaved] = useState(0);
  const given = scope === '' ? {} : { scope };
  return (
    <Page title={t('page.memory')} about={t('memory.about')}>
      {isOwner.value && <ScopeChoice scope={scope} onChange={setScope} />}
      <CoreFacts scope={scope} />
      {isOwner.value && <Facts scope={given} />}
      <section aria-labelledby="archive">
        <h2 id="archive">{t('memory.archive')}</h2>
        <form
          class="row"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            setWords(String(new FormData(event.currentTarget).get('words') ?? '').trim());
          }}
        >
          <input name="words" type="search" placeholder={t('memory.search')} aria-label={t('memory.search')} />
          <button type="submit" class="button">
            <Icon name="search" /> {t('search')}
          </button>
        </form>
        {isOwner.value && <DropPlace scope={given} onSaved={() => setSaved((count) => count + 1)} />}
        {words === '' ? <Notes key={`${scope}-${saved}`} scope={given} /> : <Found words={words} scope={given} />}
      </section>
    </Page>
  );
}

const OWN = 'owner';

/** Those that something is remembered of. Without others there is nothing to choose. */
function ScopeChoice({ scope, onChange }: { scope: string; onChange(scope: string): void }) {
  const summary = useLoaded((abort) => call('memory.summary', {}, abort), []);
  useStream(['changed', 'run-end'], summary.reload);
  const others = (summary.value?.scopes ?? []).filter((each) => each.scope !== OWN);
  if (others.length === 0) return null;
  return (
    <label class="field inline">
      <span>{t('memory.scope')}</span>
      <select value={scope} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t('memory.scopeOwner')}</option>
        {others.map((each) => (
          <option key={each.scope} value={each.scope}>
            {each.scope} ({t('memory.documents', { count: each.documents })})
          </option>
        ))}
      </select>
    </label>
  );
}

function Found({ words, scope }: { words: string; scope: { scope?: string } }) {
  const found = useLoaded(
    (abort) => call('memory.search', { query: words, topK: 20, ...scope }, abort),
    [words, scope.scope],
  );
  return (
    <WhenLoaded of={found}>
      {({ results, mode, note, leftOut }) => (
        <>
          <p class="quiet">
            {t(mode === 'hybrid' ? 'memory.hybrid' : 'memory.fullText')} {note}
          </p>
          {results.length === 0 && (
            <EmptyState icon="search" title={t('memory.noneTitle')} text={t('memory.noneText')} />
          )}
          <ul class="cards">
            {results.map((each) => (
              <li key={each.id} class="card">
                <div class="row">
                  <strong>{each.title ?? wordText(each.source)}</strong>
                  <span class="grow" />
                  <meter
                    min={0}
                    max={Math.max(1, results[0]?.score ?? 1)}
                    value={each.score}
                    aria-label={t('memory.score')}
                  />
                  <span class="quiet">{each.score.toFixed(2)}</span>
                </div>
                <p class="pre">{each.text}</p>
                <p class="quiet">
                  {t('memory.why')}{' '}
                  {each.why.terms.map((term) => (
                    <code key={term}>{term}</code>
                  ))}
                  {each.why.vector !== undefined && ` · ${t('memory.meaning', { score: each.why.vector.toFixed(2) })}`}
                </p>
                <p class="quiet">
                  {wordText(each.source)} · {personText(each.scope)} · {timeText(each.date)}
                  {each.supersededBy !== undefined && ` · ${t('memory.superseded')}`}
                </p>
              </li>
            ))}
          </ul>
          {leftOut > 0 && <p class="quiet">{t('memory.leftOut', { count: leftOut })}</p>}
        </>
      )}
    </WhenLoaded>
  );
}

function Notes({ scope }: { scope: { scope?: string } }) {
  const notes = useLoaded((abort) => call('memory.list', { limit: 100, ...scope }, abort), [scope.scope]);
  const [forgetting, setForgetting] = useState<string>();
  return (
    <WhenLoaded of={notes}>
      {(listed) =>
        listed.length === 0 ? (
          <EmptyState
            icon="memory"
            title={t('memory.emptyTitle')}
            text={t(isOwner.value ? 'memory.emptyText' : 'memory.emptyPerson')}
          />
        ) : (
          <ul class="cards">
            {listed.map((note) => (
              <li key={note.id} class="card row top">
                <div class="grow">
                  <strong>{note.title ?? wordText(note.source)}</strong>
                  <p class="clip">{note.head}</p>
                  <p class="quiet">
                    {wordText(note.source)} · {personText(note.scope)} · {timeText(note.date)} ·{' '}
                    {t('memory.chunks', { count: numberText(note.chunks) })}
                  </p>
                </div>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={t('memory.forgetOf', { title: note.title ?? wordText(note.source) })}
                  onClick={() => setForgetting(note.id)}
                >
                  <Icon name="trash" />
                </button>
              </li>
            ))}
            {forgetting !== undefined && (
              <ConfirmDialog
                title={t('memory.forgetTitle')}
                text={t('memory.forgetText')}
                action={t('memory.forget')}
                onClose={() => setForgetting(undefined)}
                onConfirm={async () => {
                  await attempt(() => call('memory.forget', { id: forgetting }));
                  notes.reload();
                }}
              />
            )}
          </ul>
        )
      }
    </WhenLoaded>
  );
}

/** Text files that are dropped here become notes. */
function DropPlace({ scope, onSaved }: { scope: { scope?: string }; onSaved(): void }) {
  const [isOver, setOver] = useState(false);
  async function save(files: FileList | null | undefined): Promise<void> {
    for (const file of files ?? []) {
      const done = await attempt(async () =>
        call('memory.save', { content: await file.text(), source: file.name, title: file.name, ...scope }),
      );
      if (done) say(t(done.added ? 'memory.saved' : 'memory.savedBefore', { name: file.name }));
    }
    onSaved();
  }
  return (
    <label
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void save(event.dataTransfer?.files);
      }}
    >
      <Icon name="download" /> {t('memory.drop')}
      <input
        type="file"
        multiple
        accept=".md,.txt,text/*"
        class="unseen"
        onChange={(event) => void save(event.currentTarget.files)}
      />
    </label>
  );
}
