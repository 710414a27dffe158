// Scheduled jobs: the next runs on a strip, what each job did, and changing it.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { dayText, relativeText, timeText } from '../language/format.ts';
import { language, type TextKey, t, wordText } from '../language/language.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { goTo } from '../router.ts';
import { type Job, JobDialog } from './job-dialog.tsx';

const STRIP_MS = 3 * 86_400_000;
const ON_STRIP = 40;

export default function Schedules({ id }: { id?: string }) {
  const [isAdding, setAdding] = useState(false);
  const listed = useLoaded(
    async (abort) => {
      const [jobs, next] = await Promise.all([
        call('schedule.list', { language: language.value }, abort),
        call('schedule.next', { count: ON_STRIP }, abort),
      ]);
      return { ...jobs, next };
    },
    [language.value],
  );
  useStream(['run-end', 'changed', 'log', 'reset'], listed.reload);
  return (
    <Page
      title={t('page.schedules')}
      about={t('schedules.about')}
      actions={
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" /> {t('schedules.add')}
        </button>
      }
    >
      <WhenLoaded of={listed}>
        {({ jobs, next, problems, gatewayRunning }) => (
          <>
            {!gatewayRunning && <p class="note">{t('schedules.noGateway')}</p>}
            {problems.map(({ line, message }) => (
              <p key={line} class="note problem">
                HEARTBEAT.md:{line} {message}
              </p>
            ))}
            {jobs.length === 0 ? (
              <EmptyState icon="clock" title={t('schedules.emptyTitle')} text={t('schedules.emptyText')} />
            ) : (
              <>
                <Strip runs={next} />
                <ul class="cards">
                  {jobs.map((job) => (
                    <JobCard key={job.name} job={job} isOpen={job.name === id} onDone={listed.reload} />
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </WhenLoaded>
      {isAdding && <JobDialog onClose={() => setAdding(false)} onDone={listed.reload} />}
    </Page>
  );
}

/** The next three days; each run is a mark. */
function Strip({ runs }: { runs: Output<'schedule.next'> }) {
  const now = Date.now();
  const marks = runs
    .flatMap(({ name, runsAt }) => runsAt.map((at) => ({ name, at, place: (Date.parse(at) - now) / STRIP_MS })))
    .filter(({ place }) => place >= 0 && place <= 1);
  const days = [0, 1, 2].map((day) => new Date(new Date(now).setHours(24 * (day + 1), 0, 0, 0)));
  return (
    <figure class="strip" aria-label={t('schedules.strip')}>
      <div class="strip-line">
        {days.map((day) => (
          <span key={day.getTime()} class="strip-day" style={{ left: `${(100 * (day.getTime() - now)) / STRIP_MS}%` }}>
            {dayText(day.toISOString())}
          </span>
        ))}
        {marks.map(({ name, at, place }) => (
          <span
            key={`${name}-${at}`}
            class="strip-run"
            style={{ left: `${100 * place}%` }}
            title={`${name} · ${timeText(at)}`}
          />
        ))}
      </div>
      <figcaption class="unseen">{marks.slice(0, 10).map(({ name, at }) => `${name}: ${timeText(at)}. `)}</figcaption>
    </figure>
  );
}

const STATUS: Record<Job['status'], TextKey> = {
  active: 'job.active',
  running: 'job.running',
  paused: 'job.paused',
  done: 'job.done',
};

function JobCard({ job, isOpen, onDone }: { job: Job; isOpen: boolean; onDone(): void }) {
  const [isRemoving, setRemoving] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const { name, status } = job;
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(work);
    onDone();
  };
  return (
    <li class="card">
      <div class="row wrap">
        <strong>{name}</strong>
        <span class={`state ${status}`}>{t(STATUS[status])}</span>
        <span class="grow" />
        <button
          type="button"
          class="button small"
          onClick={() =>
            act(async () => {
              say(t('schedules.started', { name }));
              await call('schedule.run', { name });
            })
          }
        >
          <Icon name="play" /> {t('schedules.runNow')}
        </button>
        {status === 'paused' ? (
          <button type="button" class="button small" onClick={() => act(() => call('schedule.resume', { name }))}>
            {t('schedules.resume')}
          </button>
        ) : (
          <button type="button" class="button small" onClick={() => act(() => call('schedule.pause', { name }))}>
            <Icon name="pause" /> {t('schedules.pause')}
          </button>
        )}
        {job.source !== 'heartbeat' && (
          <button
            type="button"
            class="icon-button"
            aria-label={t('schedules.edit', { name })}
            onClick={() => setEditing(true)}
          >
            <Icon name="edit" />
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label={t('delete.of', { title: name })}
          onClick={() => setRemoving(true)}
        >
          <Icon name="trash" />
        </button>
      </div>
      <p>{job.message}</p>
      {job.meaning !== undefined && <p>{job.meaning}</p>}
      <p class="quiet">
        <code>{job.cron}</code> · {job.timezone}
        {job.nextRunAt !== null &&
          ` · ${t('schedules.next', { when: `${timeText(job.nextRunAt)} (${relativeText(job.nextRunAt)})` })}`}
        {job.injectInto !== undefined && ` · ${job.injectInto}`}
      </p>
      {job.note !== undefined && <p class="note problem">{job.note}</p>}
      {job.reason !== undefined && <p class="problem-text">{job.reason}</p>}
      <details
        open={isOpen}
        onToggle={(event) => {
          if (event.currentTarget.open !== isOpen) goTo('schedules', event.currentTarget.open ? name : undefined);
        }}
      >
        <summary>{t('schedules.history')}</summary>
        {isOpen && <JobHistory name={name} />}
      </details>
      {isEditing && <JobDialog job={job} onClose={() => setEditing(false)} onDone={onDone} />}
      {isRemoving && (
        <ConfirmDialog
          title={t('schedules.removeTitle')}
          text={t('schedules.removeText', { name })}
          action={t('delete')}
          onClose={() => setRemoving(false)}
          onConfirm={() => void act(() => call('schedule.remove', { name }))}
        />
      )}
    </li>
  );
}

function JobHistory({ name }: { name: string }) {
  const history = useLoaded((abort) => call('schedule.history', { name, limit: 30 }, abort), [name]);
  useStream(['run-end', 'log', 'reset'], history.reload);
  return (
    <WhenLoaded of={history}>
      {({ runs }) =>
        runs.length === 0 ? (
          <p class="quiet">{t('schedules.noRuns')}</p>
        ) : (
          <ul class="lines">
            {runs.toReversed().map((run) => (
              <li key={run.id}>
                <span class={`state ${run.status}`}>{wordText(run.status)}</span> {timeText(run.startedAt ?? run.slot)}{' '}
                <span class="clip">{run.answer ?? run.reason}</span>
              </li>
            ))}
          </ul>
        )
      }
    </WhenLoaded>
  );
}
