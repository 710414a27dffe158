// The audit log: who did what, and why it was allowed; and the proof that nothing in it was changed.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Input, Output } from '../api/operations.ts';
import { type AuditTexts, auditTexts, reasonsText } from '../language/audit/audit-texts.ts';
import { errorText } from '../language/errors/error-texts.ts';
import { filled } from '../language/filled.ts';
import { timeText } from '../language/format.ts';
import { language, personText, t, wordText } from '../language/language.ts';
import { download } from '../parts/download.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';

const SHOWN = 200;
const KINDS = [
  'tool-call',
  'tool-result',
  'approval',
  'message',
  'operation',
  'repair',
  'retention',
  'redaction',
] as const;
const OUTCOMES = ['allowed', 'denied', 'ok', 'failed'] as const;

type Filter = Pick<Input<'audit.show'>, 'kind' | 'outcome' | 'what'>;

export default function Audit() {
  const [filter, setFilter] = useState<Filter>({});
  const [report, setReport] = useState<Output<'audit.verify'>>();
  const log = useLoaded(
    async (abort) => {
      const [{ lines }, texts] = await Promise.all([
        call('audit.show', { ...filter, limit: SHOWN }, abort),
        auditTexts(language.value),
      ]);
      return { lines, texts };
    },
    [JSON.stringify(filter), language.value],
  );
  return (
    <Page
      title={t('page.audit')}
      about={t('audit.about')}
      actions={
        <>
          <button type="button" class="button" onClick={() => void exportLog(filter)}>
            <Icon name="download" /> {t('audit.export')}
          </button>
          <button
            type="button"
            class="button primary"
            onClick={async () => setReport(await attempt(() => call('audit.verify', {})))}
          >
            <Icon name="check" /> {t('audit.verify')}
          </button>
        </>
      }
    >
      {report && <Report report={report} texts={log.value?.texts} />}
      <div class="row wrap">
        <Choice
          label={t('audit.kind')}
          values={KINDS}
          value={filter.kind}
          onChange={(kind) => setFilter({ ...filter, kind })}
        />
        <Choice
          label={t('audit.outcome')}
          values={OUTCOMES}
          value={filter.outcome}
          onChange={(outcome) => setFilter({ ...filter, outcome })}
        />
        <label class="field">
          <span>{t('audit.what')}</span>
          <input
            value={filter.what ?? ''}
            onChange={(event) => setFilter({ ...filter, what: event.currentTarget.value.trim() || undefined })}
          />
        </label>
      </div>
      <WhenLoaded of={log}>
        {({ lines, texts }) =>
          lines.length === 0 ? (
            <EmptyState icon="file" title={t('logs.emptyTitle')} text={t('audit.emptyText')} />
          ) : (
            <Lines lines={lines} texts={texts} />
          )
        }
      </WhenLoaded>
    </Page>
  );
}

type Line = Output<'audit.show'>['lines'][number];

function Lines({ lines, texts }: { lines: readonly Line[]; texts: AuditTexts | undefined }) {
  return (
    <ul class="lines">
      {lines.map((line) => {
        const { n, at, kind, who, what, about, outcome, session } = line;
        const why = whyText(line, texts);
        return (
          <li key={n}>
            <span class="quiet nowrap">{timeText(at)}</span> <span class="state">{wordText(kind)}</span>{' '}
            {outcome !== undefined && (
              <span class={`state ${outcome === 'allowed' ? 'ok' : outcome}`}>{wordText(outcome)}</span>
            )}{' '}
            <strong>{what}</strong> {about === '{}' ? '' : about}{' '}
            <span class="quiet">
              {whoText(who)}
              {why !== undefined && ` · ${why}`}
            </span>{' '}
            {session !== undefined && <a href={hrefOf('chat', session)}>{session}</a>}
          </li>
        );
      })}
    </ul>
  );
}

/** An operation is on record with the place that it was asked for at. */
function whoText(who: string): string {
  const [, person = who, place] = /^(.*) \((\w+)\)$/.exec(who) ?? [];
  return place === undefined ? personText(who) : `${personText(person)} (${wordText(place)})`;
}

/** In the language of the page where the log says something known; of a failed operation, the text of its error and what the log says of it. */
function whyText({ why, reasons, outcome }: Line, texts: AuditTexts | undefined): string | undefined {
  const code = outcome === 'failed' ? /^([A-Z][A-Z_]+): /.exec(why ?? '')?.[1] : undefined;
  const failure = code === undefined ? undefined : errorText(code);
  return failure === undefined ? (reasonsText(reasons, texts) ?? why) : `${failure} (${why})`;
}

function Report({ report, texts }: { report: Output<'audit.verify'>; texts: AuditTexts | undefined }) {
  const { isSound, lines, problems, notes, anchor } = report;
  return (
    <div class={isSound ? 'note ok' : 'note problem'} role="status">
      <Icon name={isSound ? 'check' : 'warn'} />
      <div>
        <p>{t(isSound ? 'audit.sound' : 'audit.unsound', { lines })}</p>
        {anchor && (
          <p>
            <code>
              {anchor.n}:{anchor.hash}
            </code>
          </p>
        )}
        {[...problems.map((problem) => problemText(problem, texts)), ...notes].map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

function problemText(found: Output<'audit.verify'>['problems'][number], texts: AuditTexts | undefined): string {
  const { problem, n, message } = found;
  return texts ? `${filled(texts.problems[problem], { n })} (${message})` : message;
}

function Choice<Value extends string>(props: {
  label: string;
  values: readonly Value[];
  value: Value | undefined;
  onChange(value: Value | undefined): void;
}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      <select
        value={props.value ?? ''}
        onChange={(event) => props.onChange((event.currentTarget.value || undefined) as Value | undefined)}
      >
        <option value="">{t('logs.all')}</option>
        {props.values.map((value) => (
          <option key={value} value={value}>
            {wordText(value)}
          </option>
        ))}
      </select>
    </label>
  );
}

async function exportLog(filter: Filter): Promise<void> {
  const exported = await attempt(() => call('audit.export', filter));
  if (exported?.text !== undefined) download('audit.jsonl', exported.text);
}
