// What every store of facts must do, beside the archive that keeps them as documents. Two doors are like two processes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FactChange, NewExtraction, WaitingTurn } from '../../src/storage/facts.ts';
import type { SharedArchive } from '../../src/storage/shared-archive.ts';
import { type MemoryScope, OWNER, readerWithin } from '../../src/vocabulary/memory-scope.ts';
import { type ArchiveSubject, type CreateArchive, documentOf, termsOf } from './archive-agreement.ts';

const PERSON: MemoryScope = 'person:t:1';
const DAY = '2026-02-03T00:00:00.000Z';
const LATER = '2026-03-04T00:00:00.000Z';
const EVEN_LATER = '2026-04-05T00:00:00.000Z';

export function describeFacts(name: string, create: CreateArchive): void {
  describe(`${name} as a store of facts`, () => {
    let subject: ArchiveSubject;
    let shared: SharedArchive;
    let other: SharedArchive;
    beforeEach(async () => {
      subject = await create();
      shared = subject.open();
      other = subject.open();
    });
    afterEach(() => subject.remove());

    const turn = (turnId: string, rest: Partial<WaitingTurn> = {}): WaitingTurn => ({
      sessionId: 's1',
      sessionKey: 'main',
      turnId,
      scope: 'owner',
      tainted: false,
      endedAt: 1_000,
      ...rest,
    });
    const wait = async (...turns: WaitingTurn[]): Promise<void> => {
      for (const each of turns) await shared.facts.wait(each);
    };
    const extraction = (turnIds: string[], ...changes: FactChange[]): NewExtraction => ({
      conversation: { sessionId: 's1', sessionKey: 'main', scope: 'owner', turnIds },
      at: 5_000,
      model: 'm',
      usage: { inputTokens: 10, outputTokens: 5 },
      changes,
    });
    const source = (turnId: string, message?: string) => ({ turnId, saidAt: DAY, ...(message && { message }) });
    const fact = (id: string, text: string, turnId = 't1', message?: string): FactChange => ({
      relation: 'new',
      kind: 'preference',
      document: { ...documentOf(id, text), source: 'facts', kind: 'preference', validFrom: DAY },
      validFrom: DAY,
      source: source(turnId, message),
    });
    const update = (id: string, text: string, replaced: string, rest: { isOlder?: true } = {}): FactChange => ({
      relation: 'update',
      kind: 'preference',
      document: { ...documentOf(id, text), source: 'facts', kind: 'preference', validFrom: LATER },
      validFrom: LATER,
      other: replaced,
      source: source('t2'),
      ...rest,
    });
    const proposal = (text: string, replaced?: string): FactChange => ({
      relation: 'proposed',
      kind: 'preference',
      text,
      topic: 'tea',
      validFrom: DAY,
      why: 'tainted',
      source: source('t1'),
      ...(replaced && { other: replaced }),
    });
    const due = (now: number, options: { evenGivenUp?: boolean } = {}) =>
      other.facts.due({ now, restMs: 500, limit: 10, ...options });

    it('lets a conversation rest, and groups its turns by scope and taint', async () => {
      await wait(turn('t1'), turn('t2', { endedAt: 1_200 }), turn('t3', { scope: PERSON, endedAt: 1_100 }), turn('t1'));
      await wait(turn('t4', { sessionId: 's2', sessionKey: 'two', endedAt: 1_050, tainted: true }));
      expect(await due(1_400)).toEqual([]);
      expect(await other.facts.nextDue(500)).toBe(1_550);
      expect(await due(1_700)).toEqual([
        { sessionId: 's1', sessionKey: 'main', scope: 'owner', tainted: false, turnIds: ['t1', 't2'] },
        { sessionId: 's1', sessionKey: 'main', scope: PERSON, tainted: false, turnIds: ['t3'] },
        { sessionId: 's2', sessionKey: 'two', scope: 'owner', tainted: true, turnIds: ['t4'] },
      ]);
      expect(await other.facts.waiting()).toEqual({ turns: 4, conversations: 2, givenUp: 0 });
    });

    it('hurries, postpones and drops', async () => {
      await wait(turn('t1'), turn('t2', { sessionId: 's2' }));
      await shared.facts.hurry('s1');
      expect((await due(1_001)).map(({ sessionId }) => sessionId)).toEqual(['s1']);
      await shared.facts.postpone('s1', ['t1'], 9_000);
      expect((await due(2_000)).map(({ sessionId }) => sessionId)).toEqual(['s2']);
      await shared.facts.drop('s2', ['t2']);
      expect(await due(2_000)).toEqual([]);
      expect(await other.facts.nextDue(500)).toBe(9_000);
    });

    it('keeps the facts of an extraction once, with its journal and its tokens', async () => {
      await wait(turn('t1'));
      const kept = await shared.facts.keep(
        extraction(['t1'], fact('f1', 'likes tea'), proposal('likes mate')),
        termsOf,
      );
      expect(kept).toEqual({ number: 1, ids: ['f1'], proposals: 1 });
      expect(await other.facts.keep(extraction(['t1'], fact('f2', 'likes tea too')), termsOf)).toBeUndefined();
      expect(await other.facts.valid(OWNER, 10)).toEqual([
        { id: 'f1', text: 'likes tea', kind: 'preference', saidAt: documentOf('').date, validFrom: DAY },
      ]);
      expect(await other.facts.counts(OWNER)).toEqual({ preference: 1 });
      expect(await other.facts.tokensSince(5_000)).toBe(15);
      expect(await other.facts.tokensSince(5_001)).toBe(0);
      const [logged] = await other.facts.log(OWNER, 10);
      expect(logged).toMatchObject({ number: 1, firstTurn: 't1', turns: 1, model: 'm', usage: { outputTokens: 5 } });
      expect(logged?.changes).toEqual([
        { relation: 'new', kind: 'preference', id: 'f1', text: 'likes tea' },
        { relation: 'proposed', kind: 'preference', text: 'likes mate' },
      ]);
      expect(await other.facts.waiting()).toMatchObject({ turns: 0 });
    });

    it('keeps nothing when a fact to be replaced is no longer valid', async () => {
      await wait(turn('t1'), turn('t2'));
      await shared.facts.keep(extraction(['t1'], fact('f1', 'likes tea')), termsOf);
      const gone = extraction(['t2'], fact('f2', 'has a dog', 't2'), update('f3', 'likes coffee', 'absent'));
      expect(await shared.facts.keep(gone, termsOf)).toBeUndefined();
      expect((await other.facts.valid(OWNER, 10)).map(({ id }) => id)).toEqual(['f1']);
      expect(await other.facts.waiting()).toMatchObject({ turns: 1 });
      expect(await other.facts.log(OWNER, 10)).toHaveLength(1);
    });

    it('replaces a fact, and the message that said only that', async () => {
      await wait(turn('t1'), turn('t2'));
      const archive = other.as(OWNER);
      await archive.add([{ ...documentOf('message', 'I like tea'), session: 's1', hash: 'said' }], termsOf);
      await shared.facts.keep(extraction(['t1'], fact('f1', 'likes tea', 't1', 'said')), termsOf);
      await shared.facts.keep(extraction(['t2'], update('f2', 'likes coffee', 'f1')), termsOf);
      expect((await archive.get('f1'))?.document).toMatchObject({ supersededBy: 'f2', validUntil: LATER });
      expect((await archive.get('message'))?.document).toMatchObject({ supersededBy: 'f2', validUntil: LATER });
      expect((await archive.replacementsOf(['f1', 'message', 'f2'])).get('f1')?.text).toBe('likes coffee');
      expect((await archive.replacedBy(['f2'])).map(({ document }) => document.id)).toEqual(['f1']);
      expect((await other.facts.log(OWNER, 1))[0]?.changes).toMatchObject([
        { id: 'f2', other: 'f1', otherText: 'likes tea' },
      ]);
    });

    it('tells each reader which facts and notes of their own were replaced last', async () => {
      await wait(turn('t1'), turn('t2'));
      await shared.facts.keep(extraction(['t1'], fact('f1', 'likes tea'), fact('f2', 'has a dog')), termsOf);
      expect(await other.as(OWNER).lastReplaced(10)).toEqual([]);
      const later: FactChange = { ...update('f4', 'has a cat', 'f2'), validFrom: EVEN_LATER } as FactChange;
      await shared.facts.keep(extraction(['t2'], update('f3', 'likes coffee', 'f1'), later), termsOf);
      const texts = async (limit: number, reader = OWNER) =>
        (await other.as(reader).lastReplaced(limit)).map(({ text }) => text);
      expect(await texts(10)).toEqual(['has a dog', 'likes tea']);
      const note = (id: string, text: string) => ({ ...documentOf(id, text), date: EVEN_LATER });
      await other.as(OWNER).add([note('n1', 'the key is blue')], termsOf);
      await other.as(OWNER).add([{ ...note('n2', 'the key is red'), supersedes: 'n1' }], termsOf);
      expect(await texts(10)).toEqual(['the key is blue', 'has a dog', 'likes tea']);
      expect(await texts(1)).toEqual(['the key is blue']);
      expect(await texts(10, readerWithin(PERSON))).toEqual([]);
      expect(await texts(10, { scope: PERSON, sees: 'everything' })).toEqual([]);
    });

    it('takes what was said before as past from the start', async () => {
      await wait(turn('t1'), turn('t2'));
      await shared.facts.keep(extraction(['t1'], fact('f1', 'likes tea')), termsOf);
      await shared.facts.keep(extraction(['t2'], update('f0', 'liked milk', 'f1', { isOlder: true })), termsOf);
      expect((await other.as(OWNER).get('f0'))?.document).toMatchObject({ supersededBy: 'f1', validUntil: DAY });
    });

    it('undoes an extraction: its facts go, what they replaced is valid again, what was confirmed stays', async () => {
      await wait(turn('t1'), turn('t2'), turn('t3'));
      await shared.facts.keep(extraction(['t1'], fact('f1', 'likes tea'), fact('f2', 'has a dog')), termsOf);
      await shared.facts.keep(extraction(['t2'], update('f3', 'likes coffee', 'f1')), termsOf);
      const same: FactChange = { relation: 'same', kind: 'preference', other: 'f2', source: source('t3') };
      await shared.facts.keep(extraction(['t3'], same), termsOf);
      expect(await other.facts.undo(readerWithin(PERSON), 2, 6_000, termsOf)).toBeUndefined();
      expect(await other.facts.undo(OWNER, 2, 6_000, termsOf)).toEqual({ removed: 1 });
      expect(await other.facts.undo(OWNER, 2, 6_000, termsOf)).toBeUndefined();
      expect((await shared.as(OWNER).get('f1'))?.document.supersededBy).toBeUndefined();
      expect(await other.facts.undo(OWNER, 1, 6_000, termsOf)).toEqual({ removed: 1 });
      expect((await shared.facts.valid(OWNER, 10)).map(({ id }) => id)).toEqual(['f2']);
      expect((await shared.facts.log(OWNER, 10)).map(({ undoneAt }) => undoneAt)).toEqual([undefined, 6_000, 6_000]);
    });

    it('lets a person decide about a proposal, once', async () => {
      await wait(turn('t1'));
      await shared.facts.keep(
        extraction(['t1'], fact('f1', 'likes tea'), proposal('likes mate', 'f1'), proposal('no')),
        termsOf,
      );
      const [first, second] = await other.facts.proposals(OWNER);
      expect(first).toMatchObject({
        text: 'likes mate',
        topic: 'tea',
        why: 'tainted',
        other: 'f1',
        otherText: 'likes tea',
      });
      expect(await other.facts.proposals(readerWithin(PERSON))).toEqual([]);
      const accepted = {
        document: { ...documentOf('f2', 'likes mate'), source: 'facts', validFrom: LATER },
        at: 7_000,
      };
      const settle = (number: number, decision: typeof accepted | undefined, reader = OWNER) =>
        other.facts.settleProposal(reader, number, decision, termsOf);
      expect(await settle(first?.number ?? 0, accepted, readerWithin(PERSON))).toBe(false);
      expect(await settle(first?.number ?? 0, accepted)).toBe(true);
      expect(await settle(first?.number ?? 0, accepted)).toBe(false);
      expect(await settle(second?.number ?? 0, undefined)).toBe(true);
      expect(await shared.facts.proposals(OWNER)).toEqual([]);
      expect((await shared.facts.valid(OWNER, 10)).map(({ id, kind }) => [id, kind])).toEqual([['f2', 'preference']]);
      expect((await shared.as(OWNER).get('f1'))?.document.supersededBy).toBe('f2');
    });

    it('journals answers that could not be used, and gives the turns up until a person asks', async () => {
      await wait(turn('t1'));
      const { changes, ...rest } = extraction(['t1']);
      expect(changes).toEqual([]);
      await shared.facts.keepProblem({ ...rest, problem: 'not JSON' });
      expect(await due(9_000)).toEqual([]);
      expect(await due(9_000, { evenGivenUp: true })).toMatchObject([{ turnIds: ['t1'] }]);
      expect(await other.facts.waiting()).toEqual({ turns: 0, conversations: 0, givenUp: 1 });
      expect((await other.facts.log(OWNER, 1))[0]).toMatchObject({ problem: 'not JSON', changes: [] });
    });

    it('knows what was said in a session alone, and forgets a session', async () => {
      await wait(turn('t1'), turn('t2', { sessionId: 's2' }), turn('t3'));
      await shared.facts.keep(extraction(['t1'], fact('f1', 'likes tea'), fact('f2', 'has a dog')), termsOf);
      const again: FactChange = { relation: 'same', kind: 'preference', other: 'f2', source: source('t2') };
      const inSecond = extraction(['t2'], again);
      await shared.facts.keep({ ...inSecond, conversation: { ...inSecond.conversation, sessionId: 's2' } }, termsOf);
      expect(await other.facts.saidIn('s1')).toEqual(['f1']);
      expect((await other.facts.saidIn('s1', ['t1'])).toSorted()).toEqual(['f1', 'f2']);
      await shared.facts.forgetSession('s1');
      expect(await other.facts.saidIn('s1', ['t1'])).toEqual([]);
      expect(await other.facts.waiting()).toMatchObject({ turns: 0 });
      expect(await other.facts.log(OWNER, 10)).toHaveLength(2);
    });

    it('shows a reader its own facts only', async () => {
      await wait(turn('t1', { scope: PERSON }));
      const ofPerson = extraction(['t1'], fact('f1', 'likes tea'));
      await shared.facts.keep({ ...ofPerson, conversation: { ...ofPerson.conversation, scope: PERSON } }, termsOf);
      for (const [scope, count] of [
        [PERSON, 1],
        ['person:t:2', 0],
      ] as const) {
        const reader = readerWithin(scope);
        expect(await other.facts.valid(reader, 10)).toHaveLength(count);
        expect(await other.facts.log(reader, 10)).toHaveLength(count);
        expect(Object.keys(await other.facts.counts(reader))).toHaveLength(count);
      }
    });
  });
}
