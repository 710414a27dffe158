// A conversation as a timeline: each turn with the calls it was made of, drawn over the time they took.

import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import type { TurnEvent } from '../chat/turn-view.ts';
import { durationText, timeText } from '../language/format.ts';
import { t, wordText } from '../language/language.ts';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';

type PlayedTurn = NonNullable<Output<'sessions.replay'>['turns']>[number];

const SHOWN = 100;

export default function Replay({ id = '' }: { id?: string }) {
  const played = useLoaded((abort) => call('sessions.replay', { key: id, last: SHOWN }, abort), [id]);
  return (
    <Page
      title={t('replay.title')}
      about={id}
      actions={
        <a class="button" href={hrefOf('chat', id)}>
          {t('home.openConversation')}
        </a>
      }
    >
      <WhenLoaded of={played}>
        {({ turns = [] }) =>
          turns.length === 0 ? (
            <EmptyState icon="play" title={t('replay.emptyTitle')} text={t('replay.emptyText')} />
          ) : (
            <ol class="timeline">
              {turns.map((turn) => (
                <Waterfall key={turn.number} turn={turn} />
              ))}
            </ol>
          )
        }
      </WhenLoaded>
    </Page>
  );
}

interface Bar {
  name: string;
  kind: 'model' | 'tool' | 'failed';
  fromMs: number;
  tookMs: number;
}

function Waterfall({ turn }: { turn: PlayedTurn }) {
  const bars = barsOf(turn);
  const wholeMs = Math.max(1, ...bars.map(({ fromMs, tookMs }) => fromMs + tookMs));
  return (
    <li class="card">
      <p>
        <strong>{turn.input}</strong>
      </p>
      <p class="quiet">
        {timeText(turn.startedAt)} · {wordText(turn.outcome ?? '')} · {durationText(wholeMs)}
      </p>
      <ul class="waterfall">
        {bars.map((bar, index) => (
          <li key={index}>
            <span class="bar-name">{bar.name}</span>
            <span class="bar-place">
              <span
                class={`bar ${bar.kind}`}
                style={{
                  left: `${(100 * bar.fromMs) / wholeMs}%`,
                  width: `${Math.max(0.5, (100 * bar.tookMs) / wholeMs)}%`,
                }}
              />
            </span>
            <span class="bar-time quiet">{durationText(bar.tookMs)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** What is between the calls of tools is the model's time. */
export function barsOf({ events, startedAt, endedAt }: PlayedTurn): Bar[] {
  const bars: Bar[] = [];
  const open = new Map<string, number>();
  let atMs = 0;
  let modelSince: number | undefined = 0;
  for (const { event, waitMs } of events) {
    atMs += waitMs;
    const told = event as unknown as TurnEvent;
    if (told.type === 'tool-start') {
      if (modelSince !== undefined && atMs > modelSince)
        bars.push({ name: t('replay.model'), kind: 'model', fromMs: modelSince, tookMs: atMs - modelSince });
      modelSince = undefined;
      open.set(told.call.id, atMs);
    }
    if (told.type === 'tool-end') {
      const fromMs = open.get(told.call.id) ?? atMs;
      open.delete(told.call.id);
      bars.push({ name: told.call.name, kind: told.result.ok ? 'tool' : 'failed', fromMs, tookMs: atMs - fromMs });
      if (open.size === 0) modelSince = atMs;
    }
  }
  const recorded = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  const endMs = Math.max(atMs, bars.length === 0 && recorded > 0 ? recorded : atMs);
  if (modelSince !== undefined && endMs > modelSince)
    bars.push({ name: t('replay.model'), kind: 'model', fromMs: modelSince, tookMs: endMs - modelSince });
  return bars;
}
