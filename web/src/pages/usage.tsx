// What models have used: today with its caps, the last days as bars, and by model, conversation and tool.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { costText, dayText, durationText, numberText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { hrefOf } from '../router.ts';

type Report = Output<'usage.report'>;
type Used = Report['models'][number];

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
        <WhenLoaded of={report}>{(value) => <ReportView report={value} days={days} />}</WhenLoaded>
      </section>
    </Page>
  );
}

function Today({ day, tokens, costUsd, dailyMaxTokens, dailyMaxCostUsd }: Output<'usage.today'>) {
  return (
    <section aria-labelledby="today">
      <h2 id="today">{t('usage.today', { day })}</h2>
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

function ReportView({ report, days }: { report: Report; days: number }) {
  if (report.days.length === 0)
    return <EmptyState icon="chart" title={t('usage.emptyTitle')} text={t('usage.emptyText')} />;
  return (
    <>
      <Bars days={filledDays(report.days, days)} />
      <UsedTable title={t('usage.models')} rows={report.models.map((row) => ({ ...row, name: row.model }))} />
      <UsedTable
        title={t('page.conversations')}
        rows={report.sessions.map((row) => ({ ...row, name: row.title ?? row.sessionKey, key: row.sessionKey }))}
      />
      <ToolTable tools={report.tools} />
    </>
  );
}

function Bars({ days }: { days: readonly { day: string; tokens: number; costUsd: number }[] }) {
  const most = Math.max(1, ...days.map(({ tokens }) => tokens));
  return (
    <figure class="bars" aria-label={t('usage.chart', { most: numberText(most) })}>
      {days.map(({ day, tokens, costUsd }) => (
        <div
          key={day}
          class="bar-column"
          title={`${dayText(day)}: ${t('tokens', { count: numberText(tokens) })}, ${costText(costUsd)}`}
        >
          <div style={{ height: `${(100 * tokens) / most}%` }} />
        </div>
      ))}
      <figcaption class="quiet">
        {dayText(days[0]?.day ?? '')} – {dayText(days.at(-1)?.day ?? '')} ·{' '}
        {t('usage.most', { most: numberText(most) })}
      </figcaption>
    </figure>
  );
}

const SHOWN_ROWS = 12;

function UsedTable({
  title,
  rows,
}: {
  title: string;
  rows: readonly (Omit<Used, 'model'> & { name: string; key?: string })[];
}) {
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
          {rows.slice(0, SHOWN_ROWS).map(({ name, key, turns, tokens, costUsd, durationMs }) => (
            <tr key={key ?? name}>
              <td>{key === undefined ? name : <a href={hrefOf('chat', key)}>{name}</a>}</td>
              <td>{numberText(turns)}</td>
              <td>{numberText(tokens)}</td>
              <td>{costText(costUsd)}</td>
              <td>{durationText(durationMs / Math.max(1, turns))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ToolTable({ tools }: { tools: Report['tools'] }) {
  if (tools.length === 0) return null;
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
          {tools.slice(0, SHOWN_ROWS).map(({ tool, calls, failures, durationMs }) => (
            <tr key={tool}>
              <td>{tool}</td>
              <td>{numberText(calls)}</td>
              <td>{numberText(failures)}</td>
              <td>{durationText(durationMs / Math.max(1, calls))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Also the days without a turn, so that the bars stand in time. */
function filledDays(used: Report['days'], count: number): { day: string; tokens: number; costUsd: number }[] {
  const known = new Map(used.map((each) => [each.day, each]));
  return Array.from({ length: count }, (_, index) => {
    const moment = new Date();
    moment.setDate(moment.getDate() - (count - 1 - index));
    const two = (part: number): string => String(part).padStart(2, '0');
    const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
    return known.get(day) ?? { day, tokens: 0, costUsd: 0 };
  });
}
