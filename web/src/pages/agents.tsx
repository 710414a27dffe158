// Sub-agents, and what of them runs in the background.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { Markdown } from '../chat/markdown.tsx';
import { relativeText } from '../language/format.ts';
import { type TextKey, t, wordText } from '../language/language.ts';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';

type Run = Output<'agents.runs'>['runs'][number];

export default function Agents() {
  const loaded = useLoaded(async (abort) => {
    const [{ runs }, { agents, problems }] = await Promise.all([
      call('agents.runs', { limit: 50 }, abort),
      call('agents.list', {}, abort),
    ]);
    return { runs, agents, problems };
  }, []);
  useStream(['run-start', 'run-end', 'changed', 'reset'], loaded.reload);
  return (
    <Page title={t('page.agents')} about={t('agents.about')}>
      <WhenLoaded of={loaded}>
        {({ runs, agents, problems }) => (
          <>
            <section aria-labelledby="runs">
              <h2 id="runs">{t('agents.runs')}</h2>
              {runs.length === 0 && (
                <EmptyState icon="agent" title={t('agents.emptyTitle')} text={t('agents.emptyText')} />
              )}
              <ul class="cards">
                {runs.map((run) => (
                  <RunCard key={run.id} run={run} onDone={loaded.reload} />
                ))}
              </ul>
            </section>
            <section aria-labelledby="agents">
              <h2 id="agents">{t('agents.defined')}</h2>
              {problems.map(({ path, reason }) => (
                <p key={path} class="note problem">
                  {path}: {reason}
                </p>
              ))}
              <ul class="cards grid">
                {agents.map(({ name, description, source, tools, model }) => (
                  <li key={name} class="card">
                    <strong>{name}</strong> <span class="quiet">{wordText(source)}</span>
                    <p>{aboutOf(source, name, description)}</p>
                    <p class="quiet">
                      {tools === 'all' ? t('agents.allTools') : tools.join(', ')}
                      {model !== undefined && ` · ${model}`}
                    </p>
                  </li>
                ))}
              </ul>
            </section>
          </>
        )}
      </WhenLoaded>
    </Page>
  );
}

const BUILT_IN: Readonly<Record<string, TextKey>> = {
  general: 'agents.general',
  explore: 'agents.explore',
  review: 'agents.review',
};

/** Those of the owner are described in their own words. */
function aboutOf(source: string, name: string, description: string): string {
  const key = source === 'builtin' ? BUILT_IN[name] : undefined;
  return key ? t(key) : description;
}

function RunCard({ run, onDone }: { run: Run; onDone(): void }) {
  const [isOpen, setOpen] = useState(false);
  const isActive = run.state === 'queued' || run.state === 'running';
  return (
    <li class="card">
      <div class="row wrap">
        <strong>{run.name}</strong>
        <span class={`state ${run.state}`}>{wordText(run.state)}</span>
        <span class="quiet">{relativeText(run.createdAt)}</span>
        <span class="grow" />
        {isActive && (
          <button
            type="button"
            class="button small"
            onClick={async () => {
              await attempt(() => call('agents.cancel', { id: run.id }));
              onDone();
            }}
          >
            {t('agents.cancel')}
          </button>
        )}
        <button type="button" class="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t('agents.look')}
        </button>
      </div>
      <p class="clip">{run.message}</p>
      {run.error !== undefined && <p class="problem-text">{run.error}</p>}
      {isOpen && run.result !== undefined && <Markdown text={run.result} />}
      {isOpen && run.result === undefined && <RunLog id={run.id} />}
    </li>
  );
}

function RunLog({ id }: { id: string }) {
  const log = useLoaded((abort) => call('agents.logs', { id }, abort), [id]);
  return (
    <WhenLoaded of={log}>
      {({ messages }) => (
        <ul class="lines">
          {messages.map(({ role, timestamp, content }) => (
            <li key={timestamp + role}>
              <strong>{wordText(role)}</strong> {content}
            </li>
          ))}
        </ul>
      )}
    </WhenLoaded>
  );
}
