// A conversation as a person reads it, before it is Markdown or HTML: who spoke when, what was called, how it ended.
// Everything that did not come from us is in a field of its own, for the format to make harmless.

import { counted } from '../../lib/counted.ts';
import { type KeptAttachment, readAttached } from '../attached.ts';
import { type HistoryCall, type HistoryStep, type HistoryTurn, wasSteered } from '../history.ts';
import type { HistoryUsage } from '../line-parts.ts';
import type { JournalledPermission } from '../lines.ts';
import { contextParts } from '../turn-context.ts';
import type { Damage, ExportedSession, ExportItem } from './exporter.ts';

/** The reader's clock. */
export interface LocalClock {
  time(iso: string): string;
  zone: string;
}

/** Words of ours, and values that are anybody's. */
export type Phrase = (string | { value: string })[];

export type Block =
  | { kind: 'session'; key: string; facts: Phrase[] }
  | { kind: 'turn'; title: string; facts: Phrase[] }
  | { kind: 'speech'; role: 'user' | 'assistant' | 'system'; title: string; facts: Phrase[]; text: string }
  | { kind: 'tool'; name: string; state: 'done' | 'failed' | 'unknown'; facts: Phrase[]; args: string; result: string }
  | { kind: 'note'; isWarning: boolean; phrase: Phrase; text?: string };

const SPEAKERS = { user: 'User', assistant: 'Assistant', system: 'Context' } as const;

const ENDINGS = new Map<string | undefined, string>(
  Object.entries({
    'tool-limit': 'The turn ended at its limit of model calls.',
    stopped: 'The turn was stopped by a limit.',
    failed: 'The turn failed.',
    cancelled: 'The turn was cancelled.',
    interrupted: 'The turn was interrupted: it was cut short, and what follows here is all that is known of it.',
    unfinished: 'The turn has no end yet: it is still running, or it was cut short.',
  }),
);

export function sessionBlock(session: ExportedSession, { time, zone }: LocalClock): Block {
  const facts: Phrase[] = [['Session id: ', { value: session.sessionId }]];
  if (session.createdAt !== undefined) facts.push([`Begun: ${time(session.createdAt)}`]);
  facts.push(['Times are those of ', { value: zone }]);
  if (!session.isCurrent) facts.push(['Another session has followed it under this key.']);
  return { kind: 'session', key: session.sessionKey, facts };
}

export function damageBlock({ count, lines }: Damage): Block {
  const named = lines.slice(0, 20).join(', ') + (count > 20 ? ', …' : '');
  return {
    kind: 'note',
    isWarning: true,
    phrase: [
      `${counted(count, 'line of the transcript', 'lines of the transcript')} cannot be read and ${count === 1 ? 'is' : 'are'} left out: ${named}.`,
    ],
  };
}

export function blocksOf(item: ExportItem, clock: LocalClock): Block[] {
  switch (item.kind) {
    case 'turn':
      return turnBlocks(item.turn, clock.time);
    case 'compaction': {
      const told = `Summarised up to message ${item.compactedMessageCount}, ${clock.time(item.timestamp)}`;
      return [
        { kind: 'note', isWarning: false, phrase: [told], ...(item.summary !== undefined && { text: item.summary }) },
      ];
    }
    case 'summary': {
      const told = `Messages up to ${item.throughMessage} were summarised for the model, ${clock.time(item.timestamp)}`;
      return [{ kind: 'note', isWarning: false, phrase: [told], text: item.summary }];
    }
    case 'repair': {
      const told = `A half-written last line (${item.droppedBytes} bytes) was cut off, ${clock.time(item.timestamp)}.`;
      return [{ kind: 'note', isWarning: true, phrase: [told] }];
    }
  }
}

function turnBlocks(turn: HistoryTurn, time: LocalClock['time']): Block[] {
  const at = turn.startedAt ?? turn.messages[0]?.timestamp;
  const facts: Phrase[] = [];
  if (turn.origin !== undefined) facts.push(['Came from ', { value: turn.origin }]);
  if (turn.tainted) facts.push(['Content from outside was part of it.']);
  const blocks: Block[] = [
    { kind: 'turn', title: `Turn ${turn.number}${at === undefined ? '' : ` · ${time(at)}`}`, facts },
  ];
  const ending = ENDINGS.get(turn.outcome);
  const isCut = turn.outcome === 'interrupted' || turn.outcome === 'unfinished';
  if (ending !== undefined && isCut) blocks.push({ kind: 'note', isWarning: true, phrase: [ending] });
  const said = turn.messages
    .filter((message) => !wasSteered(turn, message))
    .map((message) => ({ message, blocks: speech(message, turn, time) }));
  // Calls are between the question and what the turn left of them.
  const question = said.findIndex(({ message }) => message.role === 'user') + 1;
  blocks.push(...said.slice(0, question).flatMap((each) => each.blocks));
  blocks.push(...turn.steps.flatMap((step) => stepBlocks(step, turn, time)));
  blocks.push(...said.slice(question).flatMap((each) => each.blocks));
  if (ending !== undefined && !isCut) blocks.push({ kind: 'note', isWarning: true, phrase: [ending] });
  if (turn.error) {
    const phrase = ['Error ', { value: turn.error.code }];
    blocks.push({ kind: 'note', isWarning: true, phrase, text: turn.error.message });
  }
  if (turn.usage) blocks.push({ kind: 'note', isWarning: false, phrase: [usageText(turn.usage)] });
  return blocks;
}

function speech(message: HistoryTurn['messages'][number], turn: HistoryTurn, time: LocalClock['time']): Block[] {
  const { role, timestamp, provider, profileId, model, content } = message;
  const facts: Phrase[] = typeof timestamp === 'string' ? [[time(timestamp)]] : [];
  if (role === 'assistant' && provider) {
    facts.push([{ value: provider }]);
    if (model) facts.push([{ value: model }]);
    if (profileId) facts.push(['profile ', { value: profileId }]);
  }
  if (role !== 'system') {
    const { attachments } = readAttached((message.attached ?? []).join('\n\n'));
    const spoken: Block = { kind: 'speech', role, title: SPEAKERS[role], facts, text: content };
    return [spoken, ...attachedBlocks(attachments, message.pictures !== undefined)];
  }
  const { attachments, rest } = contextParts(message, turn);
  const attached = attachedBlocks(attachments, turn.pictures !== undefined);
  if (rest === '') return attached;
  return [...attached, { kind: 'speech', role, title: SPEAKERS.system, facts, text: rest }];
}

function attachedBlocks(attachments: readonly KeptAttachment[], keepsPictures: boolean): Block[] {
  return attachments.map((attachment) =>
    attachment.kind === 'text'
      ? { kind: 'note', isWarning: false, phrase: ['Attached ', { value: attachment.name }], text: attachment.text }
      : {
          kind: 'note',
          isWarning: false,
          phrase: ['Attached picture ', { value: attachment.name }, keepsPictures ? '' : ' (not kept)'],
        },
  );
}

function stepBlocks({ text, calls, steered = [] }: HistoryStep, turn: HistoryTurn, time: LocalClock['time']): Block[] {
  const said: Block[] =
    text.trim() === '' ? [] : [{ kind: 'speech', role: 'assistant', title: SPEAKERS.assistant, facts: [], text }];
  return [
    ...said,
    ...calls.flatMap((call) => [toolBlock(call, time), ...previewBlock(call)]),
    ...steered.flatMap((message) => speech(message, turn, time)),
  ];
}

function toolBlock({ call, effect, timestamp, granted, result }: HistoryCall, time: LocalClock['time']): Block {
  const facts: Phrase[] = [];
  facts.push([time(timestamp)]);
  if (call.source !== 'model') facts.push(['called by ', { value: call.source }]);
  if (effect !== 'read') facts.push(['effect ', { value: effect }]);
  if (granted) facts.push(permissionPhrase(granted));
  if (typeof result?.meta?.durationMs === 'number') facts.push([`${result.meta.durationMs} ms`]);
  if (result?.meta?.cached === true) facts.push(['reused']);
  if (result?.error?.reason === 'denied') facts.push(['not permitted']);
  else if (result?.error) facts.push(['failed: ', { value: result.error.reason ?? result.error.code }]);
  const full = result?.meta?.fullOutputPath;
  if (typeof full === 'string') facts.push(['cut here, whole in ', { value: full }]);
  return {
    kind: 'tool',
    name: call.name,
    state: result ? (result.ok ? 'done' : 'failed') : 'unknown',
    facts,
    args: JSON.stringify(call.args ?? {}, undefined, 2),
    result: result?.text ?? 'no result is on record: whether it took effect is unknown',
  };
}

/** What the person was shown before they allowed it. */
function previewBlock({ granted }: HistoryCall): Block[] {
  if (!granted?.preview) return [];
  const { summary, text } = granted.preview;
  return [{ kind: 'note', isWarning: false, phrase: ['Approved: ', { value: summary }], text }];
}

function permissionPhrase({ scope, by, place, rules }: JournalledPermission): Phrase {
  const kept: Phrase = rules.length > 0 ? [', kept as ', { value: rules.join(', ') }] : [];
  return ['allowed ', { value: scope }, ' by ', { value: by }, ' in the ', { value: place }, ...kept];
}

export function usageText({ inputTokens, outputTokens, cachedTokens, costUsd }: HistoryUsage): string {
  const cached = cachedTokens === undefined ? '' : ` (${cachedTokens} cached)`;
  const cost = costUsd === undefined ? '' : `, ${costUsd.toFixed(costUsd < 0.01 ? 6 : 4)} USD`;
  return `${inputTokens} tokens in${cached}, ${outputTokens} out${cost}`;
}
