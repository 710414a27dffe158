// What a person can do with the facts that a model extracts from conversations.
import type { Extraction, Proposal } from '../storage/facts.ts';
import { FACT_KINDS, FACT_RELATIONS, FACTS_OFF_CODES } from '../vocabulary/fact.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { ownerReading, SCOPE } from './memory-scope.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const KIND = { enum: FACT_KINDS } as const;
const NUMBER = { type: 'number', minimum: 0 } as const;
const CHANGE = objectWith(
  { relation: { enum: [...FACT_RELATIONS, 'proposed'] }, kind: KIND },
  {
    id: TEXT,
    text: { type: 'string', description: 'absent when it was forgotten' },
    other: { type: 'string', description: 'the fact that it replaced' },
    otherText: TEXT,
  },
);
const EXTRACTION = objectWith(
  {
    number: COUNT,
    sessionKey: TEXT,
    sessionId: TEXT,
    scope: TEXT,
    firstTurn: TEXT,
    lastTurn: TEXT,
    turns: COUNT,
    at: TIME,
    changes: listOf(CHANGE),
  },
  {
    model: TEXT,
    usage: objectWith({ inputTokens: COUNT, outputTokens: COUNT }, { cachedTokens: COUNT, costUsd: NUMBER }),
    problem: { type: 'string', description: 'why nothing could be extracted' },
    undoneAt: TIME,
  },
);
const PROPOSAL = objectWith(
  {
    number: COUNT,
    scope: TEXT,
    sessionKey: TEXT,
    text: TEXT,
    kind: KIND,
    why: { enum: ['tainted', 'contradicts'] },
    saidAt: TIME,
  },
  { other: TEXT, otherText: TEXT },
);
const PROPOSAL_NUMBER = {
  type: 'object',
  properties: { number: POSITIVE },
  required: ['number'],
  additionalProperties: false,
} as const;

export const factLog = defineOperation({
  name: 'memory.log',
  class: 'read',
  summary:
    'Read which facts were extracted from conversations, what waits, what a person must decide, and what was forgotten everywhere, the newest first.',
  input: {
    type: 'object',
    properties: { limit: { ...POSITIVE, default: 20 }, scope: SCOPE },
    additionalProperties: false,
  },
  output: objectWith(
    {
      waiting: objectWith({ turns: COUNT, conversations: COUNT, givenUp: COUNT }),
      proposals: listOf(PROPOSAL),
      extractions: listOf(EXTRACTION),
      forgotten: listOf(
        objectWith({
          at: TIME,
          places: { type: 'object', additionalProperties: COUNT, description: 'how many of each kind' },
          conversations: COUNT,
        }),
      ),
    },
    {
      off: {
        ...objectWith({ code: { enum: FACTS_OFF_CODES }, text: TEXT }),
        description: 'why no facts are extracted',
      },
    },
  ),
  async run({ limit, scope }, { runtime }) {
    const reader = ownerReading(scope);
    const { facts } = await runtime.memory();
    const off = await (await runtime.factExtraction()).off();
    return {
      ...(off !== undefined && { off }),
      waiting: await facts.waiting(),
      proposals: (await facts.proposals(reader)).map(shownProposal),
      extractions: (await facts.log(reader, limit)).map(shownExtraction),
      forgotten: await runtime.forgotten(limit),
    };
  },
});

export const extractFacts = defineOperation({
  name: 'memory.extract',
  class: 'change',
  summary: 'Extract the facts of conversations that wait for it now, without letting them rest.',
  input: {
    type: 'object',
    properties: {
      rested: {
        ...YES_OR_NO,
        default: false,
        description: 'only of conversations that have rested (memoryFactsRestMinutes)',
      },
      seconds: { ...COUNT, minimum: 1, maximum: 86_400, description: 'stop after so long' },
    },
    additionalProperties: false,
  },
  output: objectWith(
    { conversations: COUNT, facts: COUNT, proposals: COUNT },
    { stopped: { type: 'string', description: 'why it ended before everything was done' } },
  ),
  async run({ rested, seconds }, { runtime, signal }) {
    const end = seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1_000);
    const { extract } = await runtime.factExtraction();
    const signals = end ? AbortSignal.any([signal, end]) : signal;
    return extract({ signal: signals, everything: !rested }).catch((error: unknown) => {
      if (signal.aborted || !end?.aborted) throw error;
      return { conversations: 0, facts: 0, proposals: 0, stopped: `${seconds} s are over: the rest waits` };
    });
  },
});

export const undoExtraction = defineOperation({
  name: 'memory.undo',
  class: 'change',
  summary: 'Undo an extraction: its facts go, and what they replaced holds again.',
  input: PROPOSAL_NUMBER,
  output: objectWith({ removed: COUNT }),
  async run({ number }, { runtime, signal, onProgress }) {
    const memory = await runtime.memory();
    await memory.as(OWNER).prepareIndex({ signal, onProgress });
    return memory.facts.undo(OWNER, number);
  },
});

export const acceptProposal = defineOperation({
  name: 'memory.accept',
  class: 'change',
  summary: 'Make a proposal of `memory.log` a fact.',
  input: PROPOSAL_NUMBER,
  output: objectWith({ accepted: COUNT }),
  async run({ number }, { runtime }) {
    await (await runtime.memory()).facts.settleProposal(OWNER, number, 'accept');
    return { accepted: number };
  },
});

export const rejectProposal = defineOperation({
  name: 'memory.reject',
  class: 'change',
  summary: 'Drop a proposal of `memory.log`.',
  input: PROPOSAL_NUMBER,
  output: objectWith({ rejected: COUNT }),
  async run({ number }, { runtime }) {
    await (await runtime.memory()).facts.settleProposal(OWNER, number, 'reject');
    return { rejected: number };
  },
});

function shownExtraction({ at, undoneAt, ...rest }: Extraction) {
  return {
    ...rest,
    at: new Date(at).toISOString(),
    ...(undoneAt !== undefined && { undoneAt: new Date(undoneAt).toISOString() }),
  };
}

function shownProposal({ number, scope, sessionKey, text, kind, why, saidAt, other, otherText }: Proposal) {
  return {
    number,
    scope,
    sessionKey,
    text,
    kind,
    why,
    saidAt,
    ...(other !== undefined && { other }),
    ...(otherText !== undefined && { otherText }),
  };
}
