// Sub-agents, and what of them runs in the background.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { Markdown } from '../chat/markdown.tsx';
import { relativeText, timeText } from '../language/format.ts';
import { type TextKey, t, wordText } from '../language/language.ts';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { type Loaded, useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';

type Run = Output<'agents.runs'>['runs'][number];

/** Runs of other processes tell nothing to this page. */
const LOOK_EVERY_MS = 2_000;

function isActive({ state }: Run): boolean {
  return state === 'queued' || state === 'running';
}

/** Loads again some time after each load, as long as it is wanted: on a slow network the next one would end one that is on its way. */
function useRepeated(loaded: Loaded<unknown> & { reload(): void }, isWanted: boolean): void {
  const latest = useRef(loaded.reload);
  latest.current = loaded.reload;
  const outcome = loaded.kind === 'failed' ? loaded.problem : loaded.value;
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setTimeout(() => latest.current(), LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [isWanted, outcome]);
}

export default function Agents() {
  const loaded = useLoaded(async (abort) => {
    const [{ runs }, { agents, problems }] = await Promise.all([
      call('agents.runs', { limit: 50 }, abort),
      call('agents.list', {}, abort),
    ]);
    return { runs, agents, problems };
  }, []);
  useStream(['run-start', 'run-end', 'changed', 'reset'], loaded.reload);
  useRepeated(loaded, loaded.value?.runs.some(isActive) === true);
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
  return (
    <li class="card">
      <div class="row wrap">
        <strong>{run.name}</strong>
        <span class={`state ${run.state}`}>{wordText(run.state)}</span>
        <span class="quiet">{relativeText(run.createdAt)}</span>
        <span class="grow" />
        {isActive(run) && (
          <button
            type="button"
            class="button small"
            disabled={run.cancelRequested}
            onClick={async () => {
              await attempt(() => call('agents.cancel', { id: run.id }));
              onDone();
            }}
          >
            {t(run.cancelRequested ? 'agents.cancelling' : 'agents.cancel')}
          </button>
        )}
        <button type="button" class="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t('agents.look')}
        </button>
      </div>
      <p class="clip">{run.message}</p>
      {run.error !== undefined && <p class="problem-text">{run.error}</p>}
      {isOpen && <RunLog run={run} />}
    </li>
  );
}

/** Its conversation so far; the last answer of one that is done is its result. */
function RunLog({ run }: { run: Run }) {
  const log = useLoaded((abort) => call('agents.logs', { id: run.id }, abort), [run.id, run.state]);
  useRepeated(log, isActive(run));
  return (
    <WhenLoaded of={log}>
      {({ messages }) => (
        <>
          {messages.length === 0 && run.result === undefined && <p class="quiet">{t('agents.noLog')}</p>}
          {messages.length === 0 && run.result !== undefined && <Markdown text={run.result} />}
          <ul class="lines" aria-label={t('agents.logOf', { name: run.name })}>
            {messages.map(({ role, timestamp, content }) => (
              <li key={timestamp + role}>
                <strong>{wordText(role)}</strong> <span class="quiet">{timeText(timestamp)}</span>
                <Markdown text={content} />
              </li>
            ))}
          </ul>
        </>
      )}
    </WhenLoaded>
  );
}
