// Earlier turns as the provider's own messages: the question, each answer with its tool calls, their results, the last answer.
// A turn is written here exactly as it was sent while it ran, so that the next request begins with the same bytes. Every call
// has its result, and every turn begins with a user's message and ends with an answer, whatever became of it.
import type { ModelImage, ModelMessage } from '../adapters/adapter.ts';
import { attachedPicture, attachedText, type KeptAttachment } from '../sessions/attached.ts';
import {
  type HistoryCall,
  type HistoryPicture,
  type HistoryStep,
  type HistoryTurn,
  picturesOf,
  questionIn,
  sentText,
} from '../sessions/history.ts';
import type { SessionMessage } from '../sessions/lines.ts';
import { toolContext, unfinishedCall } from '../sessions/tool-context.ts';
import { contextParts } from '../sessions/turn-context.ts';
import type { WireCalls } from '../tools/folded-calls.ts';
import type { ToolArgs } from '../tools/tool.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { CALLED_BY_HAND } from './events.ts';
import { parseManualTrigger } from './manual-trigger.ts';
import { asToolResults } from './prompt.ts';

export interface HistoryMessagesOptions {
  /** How the provider is sent calls. */
  wireNames: Pick<WireCalls, 'toWire' | 'callToWire'>;
  /** Calls and results are written as text: a provider that is offered no tools accepts no calls. */
  callsAsText: boolean;
  /** The last turn is being continued: it ends with what was said and done, without an answer. */
  isContinuing?: boolean;
  /** What `readHistoryPictures` found. */
  pictures?: PictureFiles;
}

/** Pictures by the path of their file. */
export type PictureFiles = ReadonlyMap<string, ModelImage>;

/** Those of these turns whose files are still there. */
export async function readHistoryPictures(
  turns: readonly HistoryTurn[],
  readPictures: Toolbox['readPictures'],
): Promise<PictureFiles> {
  const kept: HistoryPicture[] = [];
  for (const turn of turns) for (const picture of picturesIn(turn)) kept.push(picture);
  if (kept.length === 0) return new Map();
  const read = await Promise.all(kept.map(async (one) => [one.path, (await readPictures([one]))[0]] as const));
  return new Map(read.flatMap(([path, image]) => (image ? [[path, image] as const] : [])));
}

const NO_PICTURES: readonly HistoryPicture[] = [];
/** Turns never change: each is looked through once. */
const picturesOfTurn = new WeakMap<HistoryTurn, readonly HistoryPicture[]>();

function picturesIn(turn: HistoryTurn): readonly HistoryPicture[] {
  const known = picturesOfTurn.get(turn);
  if (known) return known;
  const { pictures = [], calls, steps } = turn;
  const found = [
    ...pictures,
    ...steps.flatMap(({ steered = [] }) => steered.flatMap((message) => picturesOf(message.pictures))),
    ...calls.flatMap(({ result }) => result?.pictures ?? []),
  ];
  picturesOfTurn.set(turn, found.length > 0 ? found : NO_PICTURES);
  return found;
}

function hasPictures(turn: HistoryTurn): boolean {
  return picturesIn(turn).length > 0;
}

/**
 * Turns never change: each is written once for the names of one set of tools, so that a long conversation costs no more. What was written
 * for tools that are gone goes with them.
 */
const writtenFor = new WeakMap<HistoryMessagesOptions['wireNames'], WeakMap<HistoryTurn, readonly ModelMessage[]>>();

export function historyMessages(turns: readonly HistoryTurn[], options: HistoryMessagesOptions): ModelMessage[] {
  const written = writtenWith(options.wireNames);
  const messages: ModelMessage[] = [];
  for (let index = 0; index < turns.length; index += 1) {
    const turn = turns[index] as HistoryTurn;
    const next = turns[index + 1];
    const isContinued = next ? isContinuedBy(turn, next) : options.isContinuing === true;
    const isKept = !options.callsAsText && !isContinued && !(options.pictures?.size && hasPictures(turn));
    const known = isKept ? written.get(turn) : undefined;
    const own = known ?? turnMessages(turn, isContinued, options);
    if (isKept && !known) written.set(turn, own);
    for (const message of own) messages.push(message);
  }
  return messages;
}

function writtenWith(wireNames: HistoryMessagesOptions['wireNames']): WeakMap<HistoryTurn, readonly ModelMessage[]> {
  const known = writtenFor.get(wireNames);
  if (known) return known;
  const written = new WeakMap<HistoryTurn, readonly ModelMessage[]>();
  writtenFor.set(wireNames, written);
  return written;
}

function isContinuedBy({ turnId }: HistoryTurn, next: HistoryTurn): boolean {
  return turnId !== undefined && next.continues === turnId;
}

function turnMessages(turn: HistoryTurn, isContinued: boolean, options: HistoryMessagesOptions): ModelMessage[] {
  const asked = questionIn(turn);
  const answer = turn.messages.findLast(({ role }) => role === 'assistant');
  if (!asked && turn.continues === undefined) return withoutQuestion(turn);
  // The answer of calls made by hand without a question is their results.
  const steps = answer?.route === CALLED_BY_HAND ? [] : turn.steps;
  const question = asked ? questionOf(asked, turn) : '';
  const calls = steps.flatMap((step) => step.calls);
  const told = options.callsAsText && calls.length > 0 ? asToolResults(toolContext(calls.map(pairOf))) : '';
  const steered = options.callsAsText ? steps.flatMap(steeredTexts) : [];
  const text = [question, told, ...steered].filter((part) => part !== '').join('\n\n');
  return [
    ...(text === '' ? [] : [{ role: 'user' as const, text, ...imagesOf(turn.pictures, options) }]),
    ...(options.callsAsText ? [] : steps.flatMap((step) => stepMessages(step, options))),
    ...(isContinued ? [] : [{ role: 'assistant' as const, text: answerOf(turn, answer), toolCalls: [] }]),
  ];
}

/** What was typed, without calls made by hand, and the texts that came with it. */
function questionOf({ content }: SessionMessage, turn: HistoryTurn): string {
  const trigger = parseManualTrigger(content);
  const question = trigger?.kind === 'calls' && trigger.question !== '' ? trigger.question : content;
  const context = turn.messages.find(({ role }) => role === 'system');
  if (!context) return question;
  const { attachments, rest } = contextParts(context, turn);
  // Results without their journal, in a transcript that was written by hand.
  const others = rest === '' || context.route === 'recovery' ? [] : [asToolResults(rest)];
  return [question, ...attachments.map(written), ...others].join('\n\n');
}

function written(attachment: KeptAttachment): string {
  return attachment.kind === 'text' ? attachedText(attachment) : attachedPicture(attachment.name);
}

function imagesOf(
  kept: readonly HistoryPicture[] = [],
  { pictures }: HistoryMessagesOptions,
): { images?: ModelImage[] } {
  const images = kept.flatMap(({ path }) => pictures?.get(path) ?? []);
  return images.length > 0 ? { images } : {};
}

function steeredTexts({ steered = [] }: HistoryStep): string[] {
  return steered.map(sentText);
}

function stepMessages(step: HistoryStep, options: HistoryMessagesOptions): ModelMessage[] {
  const { text, calls, native } = step;
  const { toWire, callToWire } = options.wireNames;
  if (calls.length === 0) return [];
  const toolCalls = calls.map(({ call }) => ({
    id: call.id,
    ...callToWire({ name: call.name, args: argsOf(call.args) }),
  }));
  return [
    { role: 'assistant', text, toolCalls, ...(native !== undefined && { native }) },
    ...calls.map((call) => ({
      role: 'tool' as const,
      callId: call.call.id,
      toolName: toWire(call.call.name),
      text: pairOf(call).text,
      ...imagesOf(call.result?.pictures, options),
      isError: call.result?.ok !== true,
    })),
    ...(step.steered ?? []).map((message) => ({
      role: 'user' as const,
      text: sentText(message),
      ...imagesOf(picturesOf(message.pictures), options),
    })),
  ];
}

function pairOf({ call, effect, result }: HistoryCall): { call: HistoryCall['call']; text: string } {
  return { call, text: result?.text ?? unfinishedCall(effect) };
}

/** Somebody may have edited the file; a provider takes nothing but an object. */
function argsOf(args: unknown): ToolArgs {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as ToolArgs) : {};
}

const NO_ANSWER = new Map<string | undefined, string>([
  ['cancelled', '(This turn was stopped before it was answered.)'],
  ['failed', '(This turn failed before it was answered.)'],
  ['interrupted', '(This turn was interrupted before it was answered.)'],
]);

function answerOf({ outcome }: HistoryTurn, answer: SessionMessage | undefined): string {
  const text = answer?.content ?? '';
  return text.trim() === '' ? (NO_ANSWER.get(outcome) ?? '(No answer is on record.)') : text;
}

/** Of a turn whose question is asked again, or is not on record. */
function withoutQuestion({ messages }: HistoryTurn): ModelMessage[] {
  const saidBy = (by: SessionMessage['role']): string[] => messages.filter(({ role }) => role === by).map(sentText);
  const context = saidBy('system');
  const steered = saidBy('user');
  const answer = messages.findLast(({ role }) => role === 'assistant');
  if (context.length + steered.length === 0 && !answer) return [];
  const told = [asToolResults(context.length > 0 ? context.join('\n\n') : '(nothing is on record)'), ...steered].join(
    '\n\n',
  );
  return [
    { role: 'user', text: told },
    { role: 'assistant', text: answer?.content.trim() ? answer.content : '(Noted.)', toolCalls: [] },
  ];
}
