// The newest lines of the gateway's log.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { timeText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';

const LINES = 500;
const LEVELS = ['all', 'warn', 'error'] as const;

interface LogLine {
  time?: string;
  level?: string;
  event?: string;
  text: string;
}

export default function Logs() {
  const [words, setWords] = useState('');
  const [level, setLevel] = useState<(typeof LEVELS)[number]>('all');
  const log = useLoaded((abort) => call('gateway.logs', { lines: LINES }, abort), []);
  useStream(['log', 'reset'], log.reload);
  return (
    <Page
      title={t('page.logs')}
      about={log.value?.path}
      actions={
        <button type="button" class="button" onClick={log.reload}>
          <Icon name="retry" /> {t('reload')}
        </button>
      }
    >
      <div class="row wrap">
        <input
          type="search"
          value={words}
          placeholder={t('search')}
          aria-label={t('search')}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <select
          aria-label={t('logs.level')}
          value={level}
          onChange={(event) => setLevel(event.currentTarget.value as typeof level)}
        >
          {LEVELS.map((each) => (
            <option key={each} value={each}>
              {t(`logs.${each}`)}
            </option>
          ))}
        </select>
      </div>
      <WhenLoaded of={log}>
        {({ lines = [] }) => {
          const shown = lines
            .map(readLine)
            .toReversed()
            .filter((line) => fits(line, level, words));
          if (shown.length === 0)
            return <EmptyState icon="file" title={t('logs.emptyTitle')} text={t('logs.emptyText')} />;
          return (
            <ul class="lines log">
              {shown.map((line, index) => (
                <li key={index} class={line.level}>
                  <span class="quiet nowrap">{timeText(line.time)}</span> <span class="state">{line.level}</span>{' '}
                  <strong>{line.event}</strong> {line.text}
                </li>
              ))}
            </ul>
          );
        }}
      </WhenLoaded>
    </Page>
  );
}

export function readLine(line: string): LogLine {
  try {
    const { time, at, level, event, message, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const more = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
    return {
      time: String(time ?? at ?? ''),
      level: String(level ?? ''),
      event: String(event ?? ''),
      text: [message, more].filter((each) => each !== undefined && each !== '').join(' '),
    };
  } catch {
    return { text: line };
  }
}

function fits({ level = '', event = '', text }: LogLine, wanted: (typeof LEVELS)[number], words: string): boolean {
  const isLevel = wanted === 'all' || level === 'error' || (wanted === 'warn' && level === 'warn');
  return isLevel && `${event} ${text}`.toLowerCase().includes(words.trim().toLowerCase());
}
