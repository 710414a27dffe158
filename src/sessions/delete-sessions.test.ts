import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import { newId } from '../lib/new-id.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import { type DeleteDependencies, deleteSessions } from './delete-sessions.ts';
import { createDeletions } from './deletions.ts';
import { keptSessions } from './kept.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessions } from './sessions.ts';

const MARKER = 'xylophonecactus';
const signal = new AbortController().signal;

/** A home with a conversation that has left something everywhere, an earlier one under its key, and a sub-agent's. */
async function setUp() {
  const home = testHome();
  const storage = createLocalStorage({ home: home.path, now: Date.now });
  const sessions = createSessions({ ...storage, now: Date.now, newId });
  const turn = async (sessionKey: string, newSession = false): Promise<string> => {
    const unlisted = sessionKey.startsWith('task:');
    const begun = await sessions.begin({ sessionKey, newSession, unlisted, state: {}, signal });
    await begun.start(`the ${MARKER}`);
    await begun.end({ outcome: 'answered', text: MARKER, route: 'r', stage: 's' });
    await begun.close();
    return begun.entry.sessionId;
  };
  await turn('a');
  const current = await turn('a', true);
  const child = await turn(`task:${current}:1`);
  const records = await storage.undoRecords();
  const after = { bytes: Buffer.from(MARKER), mode: 0o600 };
  for (const sessionId of [current, child]) {
    await storage.outputs.keep(sessionId, 'call', MARKER);
    await storage.resultCache.put(sessionId, 'key', MARKER);
    const changed = { tool: 't', path: 'p', before: undefined, after, madeDirectories: [] };
    await records.add({ sessionId, turnId: 't', root: '/w' }, [changed]);
  }
  await storage.notes.write('a', MARKER);
  const remove = async (dependencies: DeleteDependencies): Promise<string[]> => {
    const kept = await keptSessions(storage.transcripts, await storage.catalogue.list());
    return deleteSessions({ sessionKey: 'a', kept }, dependencies);
  };
  const left = (): string[] =>
    readdirSync(home.path, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .filter((path) => readFileSync(path).includes(MARKER));
  const dependencies: DeleteDependencies = {
    ...storage,
    forgetSession: records.forgetSession,
    forgetKey: async () => {},
    deletions: createDeletions(storage.ownerFiles),
  };
  return { storage, sessions, dependencies, remove, left };
}

/** The same, but the step of this number is the last: it fails before it is done, or right after. */
function endingAt(last: number, when: 'before' | 'after', dependencies: DeleteDependencies) {
  let steps = 0;
  const step =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      steps += 1;
      if (steps === last && when === 'before') throw new Error('killed');
      const result = await work(...given);
      if (steps === last) throw new Error('killed');
      return result;
    };
  const { catalogue, transcripts, notes, outputs, resultCache, deletions } = dependencies;
  const failing: DeleteDependencies = {
    ...dependencies,
    catalogue: { ...catalogue, put: step(catalogue.put), remove: step(catalogue.remove) },
    transcripts: { ...transcripts, remove: step(transcripts.remove) },
    notes: { ...notes, remove: step(notes.remove) },
    outputs: { ...outputs, remove: step(outputs.remove) },
    resultCache: { ...resultCache, forget: step(resultCache.forget) },
    forgetSession: step(dependencies.forgetSession),
    forgetKey: step(dependencies.forgetKey),
    deletions: { ...deletions, begin: step(deletions.begin), end: step(deletions.end) },
    erase: step(dependencies.erase),
  };
  return { failing, steps: () => steps };
}

it('a deletion that was cut short at any step is finished by the next command, or had not begun', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let last = 1; ; last += 1) {
      const { storage, sessions, dependencies, remove, left } = await setUp();
      expect(left().length).toBeGreaterThan(5);
      const { failing, steps } = endingAt(last, when, dependencies);
      const isCut = await remove(failing).then(
        () => false,
        () => true,
      );
      const changes = createSessionChanges({ ...dependencies, copyUndo: async () => {}, now: Date.now, newId });
      await changes.finishDeletions();
      if (last === 1 && when === 'before') {
        expect(left().length).toBeGreaterThan(5);
        await remove(dependencies);
      }
      expect([when, last, left()]).toEqual([when, last, []]);
      expect(await dependencies.deletions.open()).toEqual([]);
      expect([await sessions.kept(), await sessions.list()]).toEqual([[], []]);
      await storage.close();
      if (isCut) continue;
      expect(steps()).toBeGreaterThan(12);
      break;
    }
  }
});

it('what somebody wrote into a result takes nothing of another conversation along', async () => {
  const { storage, sessions, dependencies, remove } = await setUp();
  const begun = await sessions.begin({ sessionKey: 'a', newSession: false, state: {}, signal });
  await begun.start('read the page');
  await begun.callStarts({ id: 'c', name: 'fetch', args: {}, source: 'model' }, 'none');
  const [other, earlier] = [
    await storage.outputs.keep('other', 'call', 'x'),
    await storage.outputs.keep('code', 'y', 'y'),
  ];
  const named = `y (1 bytes) is in ${earlier}`;
  await begun.callEnded({ callId: 'c', ok: true, text: `see /outputs/code/.. and /outputs/code/. there\n${named}` });
  await begun.callStarts({ id: 'd', name: 'code_execute', args: {}, source: 'model' }, 'exec');
  await begun.callEnded({ callId: 'd', ok: true, text: `${named}\nprinted by the code`, meta: { path: earlier } });
  // The code itself printed the line of a file, as the last one.
  await begun.callStarts({ id: 'f', name: 'code_execute', args: {}, source: 'model' }, 'exec');
  await begun.callEnded({ callId: 'f', ok: true, text: named, meta: { leftFiles: 0 } });
  await begun.callStarts({ id: 'g', name: 'code_execute', args: {}, source: 'model' }, 'exec');
  await begun.callEnded({ callId: 'g', ok: false, text: named });
  const own = await storage.outputs.keep('code', 'z', 'z');
  await begun.callStarts({ id: 'e', name: 'code_execute', args: {}, source: 'model' }, 'exec');
  await begun.callEnded({ callId: 'e', ok: true, text: `printed\nz.txt (1 bytes) is in ${own}` });
  await begun.end({ outcome: 'answered', text: 'read', route: 'r', stage: 's' });
  await begun.close();
  await remove(dependencies);
  expect([other, earlier, own].map((path) => existsSync(path))).toEqual([true, true, false]);
  await storage.close();
});
