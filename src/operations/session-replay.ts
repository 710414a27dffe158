// A conversation played again: as it happened, or with its questions asked of another model.
import type { ComparedTurn, ReplayEnd } from '../gateway/replay-against.ts';
import { newId } from '../lib/new-id.ts';
import type { PlayedTurn } from '../pipeline/playback.ts';
import { type HistoryTurn, questionIn } from '../sessions/history.ts';
import { sessionKeyProblem } from '../sessions/session-key.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { Usage } from '../vocabulary/usage.ts';
import { findOneSession, SESSION_CHOICE } from './find-sessions.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';
import { chosenTurns, NEWEST_TURNS, TURN_CHOICE } from './session-turns.ts';

const LONGEST_PAUSE_MS = 2_000;
const COMPATIBLE = 'openai-compatible';
/** The most turns before the first one that a model reads. */
const TURNS_BEFORE = 12;

const NUMBER = { type: 'number' } as const;
const USAGE = objectWith({ inputTokens: COUNT, outputTokens: COUNT }, { cachedTokens: COUNT, costUsd: NUMBER });
const SIDE = objectWith(
  {
    outcome: TEXT,
    answer: TEXT,
    calls: listOf(objectWith({ name: TEXT, args: {}, ok: YES_OR_NO, isRecorded: YES_OR_NO })),
  },
  { provider: TEXT, model: TEXT, usage: USAGE, error: objectWith({ code: TEXT, message: TEXT }) },
);
const DAMAGE = objectWith({ count: COUNT, lines: listOf(COUNT) });

export const replaySession = defineOperation({
  name: 'sessions.replay',
  class: 'read',
  people: 'session',
  summary: 'Play a conversation again as the events it was made of; no model is asked and no tool is run.',
  input: {
    type: 'object',
    properties: {
      ...SESSION_CHOICE,
      ...TURN_CHOICE,
      ...NEWEST_TURNS,
      streams: { ...YES_OR_NO, default: false, description: 'answers in pieces, as they arrived' },
    },
    required: ['key'],
    additionalProperties: false,
  },
  output: objectWith(
    { sessionKey: TEXT, sessionId: TEXT, played: COUNT },
    {
      damage: DAMAGE,
      turns: listOf(
        objectWith(
          {
            number: COUNT,
            events: listOf(objectWith({ event: { type: 'object' }, waitMs: { ...NUMBER, minimum: 0 } })),
          },
          {
            turnId: TEXT,
            startedAt: TIME,
            endedAt: TIME,
            outcome: TEXT,
            input: TEXT,
            context: {
              ...objectWith({ tokens: COUNT }, { window: COUNT }),
              description: "how much of the model's window the conversation took after the turn, about",
            },
            pictures: { ...listOf(objectWith({ mediaType: TEXT, path: TEXT })), description: 'of the question' },
          },
        ),
      ),
    },
  ),
  async run({ key, sessionId: id, turn, from, last, to, streams }, { runtime: { sessions }, signal, onPlayedTurn }) {
    const session = await findOneSession(sessions, key, id);
    const { sessionKey, sessionId } = session;
    const { playTurn } = await import('../pipeline/playback.ts');
    let damage: { count: number; lines: number[] } | undefined;
    const onDamage = (found: { count: number; lines: number[] }): void => {
      damage = found;
    };
    const turns: PlayedTurn[] = [];
    let played = 0;
    for await (const told of chosenTurns(sessions, session, { turn, from, last, to, signal, onDamage })) {
      const options = { sessionKey, sessionId, longestPauseMs: LONGEST_PAUSE_MS, streams };
      const one = { ...factsOf(told), events: [...playTurn(told, options)] };
      played += 1;
      if (onPlayedTurn) await onPlayedTurn(one);
      else turns.push(one);
    }
    const shown = turns.map(({ events, ...facts }) => ({
      ...facts,
      events: events.map(({ event, waitMs }) => ({ event: { ...event }, waitMs })),
    }));
    return { sessionKey, sessionId, played, ...(damage && { damage }), ...(!onPlayedTurn && { turns: shown }) };
  },
});

export const replayAgainstModel = defineOperation({
  name: 'sessions.replayAgainst',
  class: 'change',
  summary: 'Ask the questions of a conversation again, of another model, with the tools on record, and compare.',
  input: {
    type: 'object',
    properties: {
      ...SESSION_CHOICE,
      ...TURN_CHOICE,
      provider: TEXT,
      model: TEXT,
      profile: TEXT,
      baseUrl: { type: 'string', description: `the address of an ${COMPATIBLE} server` },
      toolMaxSteps: { ...POSITIVE, default: 3, description: 'model calls in one turn' },
      maxTokens: { ...POSITIVE, description: 'end when it has used this many' },
      maxCostUsd: { ...NUMBER, exclusiveMinimum: 0, description: 'end when it has cost this much' },
    },
    required: ['key', 'provider'],
    additionalProperties: false,
  },
  output: objectWith(
    {
      sessionKey: TEXT,
      sessionId: TEXT,
      replayedAs: { type: 'string', description: 'the session that the new conversation is' },
      end: objectWith({ kind: { enum: ['done', 'capped', 'failed'] } }, { turn: COUNT }),
      asked: COUNT,
      sameAnswers: COUNT,
      sameCalls: COUNT,
    },
    {
      damage: DAMAGE,
      recordedUsage: USAGE,
      replayedUsage: USAGE,
      error: objectWith({ code: TEXT, message: TEXT }),
      turns: listOf(
        objectWith({
          turn: COUNT,
          input: TEXT,
          recorded: SIDE,
          replayed: SIDE,
          isSameAnswer: YES_OR_NO,
          isSameCalls: YES_OR_NO,
          missingPictures: listOf(TEXT),
        }),
      ),
    },
  ),
  async run(input, { runtime, signal, warn, onComparedTurn }) {
    const { key, provider, baseUrl, model, profile, toolMaxSteps, maxTokens, maxCostUsd, turn, from } = input;
    const session = await findOneSession(runtime.sessions, key, input.sessionId);
    if (baseUrl !== undefined && provider !== COMPATIBLE)
      throw new CodedError('INVALID_INPUT', `baseUrl goes with the provider ${COMPATIBLE}, not with ${provider}`);
    const workspace = await runtime.openWorkspace({ baseUrl });
    const { gateway, recorded, providerNames } = await workspace.recordedGateway();
    const names = await providerNames();
    if (!names.includes(provider))
      throw new CodedError('UNSUPPORTED_PROVIDER', `there is no provider "${provider}"; accepted: ${names.join(', ')}`);
    const { replayAgainst } = await import('../gateway/replay-against.ts');
    const { config } = runtime;
    const own = (config.modelFor ?? config.provider) === provider ? config : undefined;
    const replayedAs = replayKey(session.sessionKey);
    let damage: { count: number; lines: number[] } | undefined;
    const before: HistoryTurn[] = [];
    const turns = chosenTurns(runtime.sessions, session, {
      turn,
      from,
      signal,
      onSkipped(skipped) {
        before.push(skipped);
        if (before.length > TURNS_BEFORE) before.shift();
      },
      onDamage(found) {
        damage = found;
      },
    });
    const replaying = replayAgainst(
      {
        turns,
        before: () => before,
        sessionKey: replayedAs,
        provider,
        model: model ?? own?.model,
        profileId: profile ?? own?.profile,
        toolMaxSteps,
        caps: {
          maxTokens: maxTokens ?? config.maxTokens,
          maxCostUsd: maxCostUsd ?? config.maxCostUsd,
          dailyMaxTokens: config.dailyMaxTokens,
          dailyMaxCostUsd: config.dailyMaxCostUsd,
        },
        onNotice: warn,
      },
      { gateway, recorded, sessions: runtime.sessions },
      signal,
    );
    const compared: ComparedTurn[] = [];
    let end: ReplayEnd | undefined;
    while (!end) {
      const next = await replaying.next();
      if (next.done) {
        end = next.value;
        continue;
      }
      compared.push(next.value);
      for (const picture of next.value.missingPictures)
        warn(`turn ${next.value.turn} had a picture (${picture}), which is not kept: asked without it`);
      await onComparedTurn?.(next.value);
    }
    await workspace.close();
    if (end.kind === 'capped') warn(`a cap is reached: turn ${end.turn} and what follows were not asked`);
    const error = end.kind === 'failed' ? compared.at(-1)?.replayed.error : undefined;
    return {
      sessionKey: session.sessionKey,
      sessionId: session.sessionId,
      replayedAs,
      end,
      asked: compared.length,
      ...summaryOf(compared),
      ...(damage && { damage }),
      ...(error && { error }),
      ...(!onComparedTurn && { turns: compared }),
    };
  },
});

function factsOf(turn: HistoryTurn): Omit<PlayedTurn, 'events'> {
  const { number, turnId, startedAt, endedAt, outcome, context, pictures = [] } = turn;
  const input = questionIn(turn)?.content;
  return {
    number,
    ...(turnId !== undefined && { turnId }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(outcome !== undefined && { outcome }),
    ...(input !== undefined && { input }),
    ...(context && { context }),
    ...(pictures.length > 0 && { pictures }),
  };
}

function replayKey(sessionKey: string): string {
  const key = newId(`replay:${sessionKey}`);
  return sessionKeyProblem(key) === undefined ? key : newId('replay');
}

function summaryOf(turns: readonly ComparedTurn[]) {
  const recordedUsage = sumOf(turns.map(({ recorded }) => recorded.usage));
  const replayedUsage = sumOf(turns.map(({ replayed }) => replayed.usage));
  return {
    sameAnswers: turns.filter(({ isSameAnswer }) => isSameAnswer).length,
    sameCalls: turns.filter(({ isSameCalls }) => isSameCalls).length,
    ...(recordedUsage && { recordedUsage }),
    ...(replayedUsage && { replayedUsage }),
  };
}

/** The price is shown only where every part has one. */
function sumOf(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.flatMap((usage) => usage ?? []);
  if (known.length === 0) return undefined;
  const isPriced = known.every(({ costUsd }) => costUsd !== undefined);
  const sum = (part: (usage: Usage) => number): number => known.reduce((total, usage) => total + part(usage), 0);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    ...(isPriced && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
  };
}
