// A job that is added or changed. What its times mean is said while they are typed.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { relativeText, timeText } from '../language/format.ts';
import { language, t } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { problemText } from '../parts/notes.tsx';
import { attempt } from '../parts/toast.tsx';
import { hrefOf } from '../router.ts';

export type Job = Output<'schedule.list'>['jobs'][number];

interface Stored {
  name: string;
  cron: string;
  meaning?: string;
  nextRuns: readonly string[];
}

/** Without a job, one is added. */
export function JobDialog({ job, onClose, onDone }: { job?: Job; onClose(): void; onDone(): void }) {
  const [name, setName] = useState('');
  const [cron, setCron] = useState(job?.cron ?? '0 8 * * 1-5');
  const [timezone, setTimezone] = useState(job?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [message, setMessage] = useState(job?.message ?? '');
  const [stored, setStored] = useState<Stored>();

  async function store(): Promise<void> {
    const given = { cron, message, ...(timezone !== '' && { timezone }) };
    const done = await attempt<Stored>(() =>
      job ? call('schedule.edit', { name: job.name, ...given }) : call('schedule.add', { name, ...given }),
    );
    if (!done) return;
    setStored(done);
    onDone();
  }

  if (stored)
    return (
      <Dialog title={t(job ? 'schedules.changed' : 'schedules.added')} onClose={onClose}>
        <p>{stored.meaning ?? stored.cron}</p>
        <Runs at={stored.nextRuns} />
        <div class="row end">
          <a class="button" href={hrefOf('schedules', stored.name)} onClick={onClose}>
            {t('close')}
          </a>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={t(job ? 'schedules.editTitle' : 'schedules.add')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void store();
        }}
      >
        {job ? (
          <strong>{job.name}</strong>
        ) : (
          <label class="field">
            <span>{t('schedules.name')}</span>
            <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        )}
        {job?.status === 'paused' && <p class="note">{t('schedules.resumes')}</p>}
        <label class="field">
          <span>{t('schedules.cron')}</span>
          <input required value={cron} onInput={(event) => setCron(event.currentTarget.value)} />
          <small class="quiet">{t('schedules.cronHint')}</small>
        </label>
        <Meaning cron={cron} timezone={timezone} />
        <label class="field">
          <span>{t('schedules.timezone')}</span>
          <input value={timezone} onInput={(event) => setTimezone(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>{t('schedules.message')}</span>
          <textarea required rows={3} value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
        </label>
        <div class="row end">
          <button type="submit" class="button primary">
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const PAUSE_MS = 250;

function Meaning({ cron, timezone }: { cron: string; timezone: string }) {
  const [shown, setShown] = useState<{ times?: Output<'schedule.preview'>; problem?: string }>({});
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      if (cron.trim() === '') return setShown({});
      const asked = { cron, language: language.value, ...(timezone !== '' && { timezone }) };
      try {
        setShown({ times: await call('schedule.preview', asked, abort.signal) });
      } catch (refused) {
        if (!abort.signal.aborted) setShown({ problem: problemText(refused) });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [cron, timezone]);
  return (
    <div role="status">
      {shown.problem !== undefined && <p class="problem-text">{shown.problem}</p>}
      {shown.times?.meaning !== undefined && <p>{shown.times.meaning}</p>}
      {shown.times && <Runs at={shown.times.nextRuns} />}
    </div>
  );
}

function Runs({ at }: { at: readonly string[] }) {
  return (
    <ul>
      {at.map((run) => (
        <li key={run}>
          {timeText(run)} <span class="quiet">{relativeText(run)}</span>
        </li>
      ))}
    </ul>
  );
}
