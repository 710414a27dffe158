// What models have used: today with its caps; tokens, cost or time as bars by day, by model, by conversation and by tool.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { costText, dayText, durationText, numberText } from '../language/format.ts';
import { type TextKey, t } from '../language/language.ts';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { hrefOf } from '../router.ts';

type Report = Output<'usage.report'>;
type Used = Report['models'][number];
type TodayValue = Output<'usage.today'>;

const SPANS = [7, 30, 90] as const;

export default function Usage() {
  const [days, setDays] = useState<number>(30);
  const today = useLoaded((abort) => call('usage.today', {}, abort), []);
  const report = useLoaded((abort) => call('usage.report', { days }, abort), [days]);
  useStream(['run-end', 'reset'], () => {
    today.reload();
    report.reload();
  });
  return (
    <Page title={t('page.usage')} about={t('usage.about')}>
      <WhenLoaded of={today}>{(value) => <Today {...value} />}</WhenLoaded>
      <section aria-labelledby="days">
        <div class="row">
          <h2 id="days">{t('usage.days')}</h2>
          <select
            class="small-select"
            aria-label={t('usage.span')}
            value={days}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          >
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {t('usage.lastDays', { count: span })}
              </option>
            ))}
          </select>
        </div>
        <WhenLoaded of={report}>{(value) => <ReportView report={value} days={days} today={today.value} />}</WhenLoaded>
      </section>
    </Page>
  );
}

function Today({ day, tokens, costUsd, dailyMaxTokens, dailyMaxCostUsd }: TodayValue) {
  return (
    <section aria-labelledby="today">
      <h2 id="today">{t('usage.today', { day: dayText(day) })}</h2>
      <div class="cards grid">
        <Amount label={t('usage.tokens')} value={tokens} cap={dailyMaxTokens} shown={numberText} />
        <Amount label={t('usage.cost')} value={costUsd} cap={dailyMaxCostUsd} shown={costText} />
      </div>
      {dailyMaxTokens === undefined && dailyMaxCostUsd === undefined && (
        <p class="quiet">
          {t('usage.noCaps')} <a href={hrefOf('settings')}>{t('page.settings')}</a>
        </p>
      )}
    </section>
  );
}

function Amount(props: { label: string; value: number; cap: number | undefined; shown(value: number): string }) {
  const { label, value, cap, shown } = props;
  return (
    <div class="card">
      <p class="quiet">{label}</p>
      <p class="figure">{shown(value)}</p>
      {cap !== undefined && (
        <p>
          <meter min={0} max={cap} high={cap * 0.8} value={value} aria-label={label} />{' '}
          {t('usage.of', { cap: shown(cap) })}
        </p>
      )}
    </div>
  );
}

interface Measure {
  label: TextKey;
  of(used: Omit<Used, 'model'>): number;
  shown(value: number): string;
  /** Of a day. */
  cap(today: TodayValue): number | undefined;
}

const MEASURES = {
  tokens: {
    label: 'usage.tokens',
    of: ({ tokens }) => tokens,
    shown: numberText,
    cap: ({ dailyMaxTokens }) => dailyMaxTokens,
  },
  cost: {
    label: 'usage.cost',
    of: ({ costUsd }) => costUsd,
    shown: costText,
    cap: ({ dailyMaxCostUsd }) => dailyMaxCostUsd,
  },
  latency: {
    label: 'usage.latency',
    of: ({ durationMs, turns }) => durationMs / Math.max(1, turns),
    shown: durationText,
    cap: () => undefined,
  },
} as const satisfies Record<string, Measure>;
type MeasureName = keyof typeof MEASURES;

function ReportView({ report, days, today }: { report: Report; days: number; today: TodayValue | undefined }) {
  const [name, setName] = useState<MeasureName>('tokens');
  if (report.days.length === 0)
    return <EmptyState icon="chart" title={t('usage.emptyTitle')} text={t('usage.emptyText')} />;
  const measure: Measure = MEASURES[name];
  return (
    <>
      <div class="row" role="group" aria-label={t('usage.measure')}>
        {Object.entries(MEASURES).map(([each, { label }]) => (
          <button
            key={each}
            type="button"
            class="button small"
            aria-pressed={each === name}
            onClick={() => setName(each as MeasureName)}
          >
            {t(label)}
          </button>
        ))}
      </div>
      <Bars days={filledDays(report.days, days)} measure={measure} cap={today && measure.cap(today)} />
      <UsedTable
        title={t('usage.models')}
        measure={measure}
        rows={report.models.map((row) => ({ ...row, name: row.model }))}
      />
      <UsedTable
        title={t('page.conversations')}
        measure={measure}
        rows={report.sessions.map((row) => ({ ...row, name: row.title ?? row.sessionKey, key: row.sessionKey }))}
      />
      <ToolTable tools={report.tools} byTime={name === 'latency'} />
    </>
  );
}

type Day = Omit<Used, 'model'> & { day: string };

/** A cap far above the bars would flatten them: it is drawn while it is near. */
const NEAR_CAP = 3;

function Bars({ days, measure, cap }: { days: readonly Day[]; measure: Measure; cap: number | undefined }) {
  const label = t(measure.label);
  const most = Math.max(...days.map(measure.of));
  const isCapNear = cap !== undefined && cap <= most * NEAR_CAP;
  const top = Math.max(isCapNear ? cap : 0, most) || 1;
  return (
    <figure class="bars" aria-label={t('usage.chart', { measure: label, most: measure.shown(most) })}>
      <div class="bar-columns">
        {days.map((day) => (
          <div key={day.day} class="bar-column" title={`${dayText(day.day)}: ${measure.shown(measure.of(day))}`}>
            <div style={{ height: `${(100 * measure.of(day)) / top}%` }} />
          </div>
        ))}
        {isCapNear && <span class="bar-cap" style={{ bottom: `${(100 * cap) / top}%` }} />}
      </div>
      <figcaption class="quiet">
        {dayText(days[0]?.day ?? '')} – {dayText(days.at(-1)?.day ?? '')} ·{' '}
        {t('usage.most', { most: measure.shown(most) })}
        {isCapNear && ` · ${t('usage.capLine', { cap: measure.shown(cap) })}`}
      </figcaption>
    </figure>
  );
}

const SHOWN_ROWS = 12;

interface UsedTableProps {
  title: string;
  measure: Measure;
  rows: readonly (Omit<Used, 'model'> & { name: string; key?: string })[];
}

function UsedTable({ title, measure, rows }: UsedTableProps) {
  const most = Math.max(0, ...rows.map(measure.of));
  const shown = rows.toSorted((one, other) => measure.of(other) - measure.of(one)).slice(0, SHOWN_ROWS);
  return (
    <div class="table-frame" tabIndex={0}>
      <table class="table numbers">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">{t('usage.turns')}</th>
            <th scope="col">{t('usage.tokens')}</th>
            <th scope="col">{t('usage.cost')}</th>
            <th scope="col">{t('usage.latency')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.key ?? row.name}>
              <td>
                {row.key === undefined ? row.name : <a href={hrefOf('chat', row.key)}>{row.name}</a>}
                <Share of={measure.of(row)} most={most} />
              </td>
              <td>{numberText(row.turns)}</td>
              <td>{numberText(row.tokens)}</td>
              <td>{costText(row.costUsd)}</td>
              <td>{durationText(row.durationMs / Math.max(1, row.turns))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Beside the number in its row, so that rows can be compared at a glance. */
function Share({ of: value, most }: { of: number; most: number }) {
  return <span class="share" style={{ width: `${most === 0 ? 0 : (100 * value) / most}%` }} />;
}

function ToolTable({ tools, byTime }: { tools: Report['tools']; byTime: boolean }) {
  if (tools.length === 0) return null;
  const each = ({ calls, durationMs }: Report['tools'][number]): number =>
    byTime ? durationMs / Math.max(1, calls) : calls;
  const most = Math.max(...tools.map(each));
  const shown = tools.toSorted((one, other) => each(other) - each(one)).slice(0, SHOWN_ROWS);
  return (
    <div class="table-frame" tabIndex={0}>
      <table class="table numbers">
        <thead>
          <tr>
            <th scope="col">{t('page.tools')}</th>
            <th scope="col">{t('usage.calls')}</th>
            <th scope="col">{t('usage.failures')}</th>
            <th scope="col">{t('usage.latency')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.tool}>
              <td>
                {row.tool}
                <Share of={each(row)} most={most} />
              </td>
              <td>{numberText(row.calls)}</td>
              <td>{numberText(row.failures)}</td>
              <td>{durationText(row.durationMs / Math.max(1, row.calls))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Also the days without a turn, so that the distance of the bars shows the time between them. */
function filledDays(used: Report['days'], count: number): Day[] {
  const known = new Map(used.map((each) => [each.day, each]));
  return Array.from({ length: count }, (_, index) => {
    const moment = new Date();
    moment.setDate(moment.getDate() - (count - 1 - index));
    const two = (part: number): string => String(part).padStart(2, '0');
    const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
    return known.get(day) ?? { day, turns: 0, tokens: 0, costUsd: 0, durationMs: 0 };
  });
}
