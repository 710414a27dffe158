// Commands that run in the background of a session. Each ends with its session and with this process, however that ends: the
// sandbox sees to it (`Sandbox.endsWithUs`). A command that has ended stays readable until others have taken its place.

import { isInside } from '../path-inside.ts';
import {
  type BackgroundProcess,
  type OwnProcess,
  ProcessesError,
  type ProcessRequest,
  startProcess,
} from './background-process.ts';
import type { KnownProcess, KnownProcesses } from './known-processes.ts';

export interface Processes {
  /** Throws ProcessesError when too many run. */
  start(request: ProcessRequest): BackgroundProcess;
  list(sessionId?: string): BackgroundProcess[];
  /** Those that run and have files below this folder, or above it, in their workspace; `others`: of other processes of the home. */
  around(root: string): Promise<{ ours: BackgroundProcess[]; others: KnownProcess[] }>;
  /** Throws ProcessesError. */
  get(sessionId: string, id: string): BackgroundProcess;
  /** Ends those of a session, whichever process has them. */
  endSession(sessionId: string): Promise<void>;
  /** Ends those of earlier sessions under the same key. */
  keepOnly(sessionKey: string, sessionId: string): Promise<void>;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface ProcessesDependencies {
  known: KnownProcesses;
  now(): number;
  newId(prefix: string): string;
}

const MOST_OF_SESSION = 8;
const MOST = 24;
const MOST_ENDED = 32;

export function createProcesses({ known, now, newId }: ProcessesDependencies): Processes {
  const processes = new Map<string, OwnProcess>();

  const background = (): OwnProcess[] => [...processes.values()].filter(({ isForeground }) => !isForeground);

  function checkRoom(sessionId: string): void {
    const running = background().filter(({ state }) => state === 'running');
    const ofSession = running.filter((each) => each.sessionId === sessionId);
    if (ofSession.length < MOST_OF_SESSION && running.length < MOST) return;
    const named = ofSession.map(({ id }) => id).join(', ');
    throw new ProcessesError('PROCESS_LIMIT', `too many commands run in the background: end one first (${named})`);
  }

  /** Those that ended first go first. */
  function dropEnded(): void {
    const ended = background().filter(({ state }) => state === 'ended');
    for (const each of ended.slice(0, Math.max(ended.length - MOST_ENDED, 0))) drop(each);
  }

  function drop(each: OwnProcess): void {
    processes.delete(each.id);
    each.forget();
  }

  async function end(chosen: readonly OwnProcess[]): Promise<void> {
    await Promise.all(chosen.map((each) => each.end()));
  }

  return {
    start(request) {
      if (!request.isForeground) checkRoom(request.sessionId);
      const started = startProcess(newId('process'), request, { known, now, checkRoom });
      processes.set(started.id, started);
      void started.ended.then(() => {
        if (started.isForeground) drop(started);
        else dropEnded();
      });
      return started;
    },
    list: (sessionId) => background().filter((each) => sessionId === undefined || each.sessionId === sessionId),
    async around(root) {
      const ours = background().filter((each) => each.state === 'running' && overlap(each.workspaceRoot, root));
      const others = (await known.list()).filter(
        ({ id, workspaceRoot, cwd }) => !processes.has(id) && overlap(workspaceRoot ?? cwd, root),
      );
      return { ours, others };
    },
    get(sessionId, id) {
      const ofSession = background().filter((each) => each.sessionId === sessionId);
      const found = ofSession.find((each) => each.id === id);
      if (found) return found;
      const there = ofSession.length === 0 ? 'none' : ofSession.map((each) => each.id).join(', ');
      throw new ProcessesError(
        'PROCESS_UNKNOWN',
        `no command "${id}" runs in the background of this session; there are: ${there}`,
      );
    },
    async endSession(sessionId) {
      const ofSession = [...processes.values()].filter((each) => each.sessionId === sessionId);
      await end(ofSession);
      for (const each of ofSession) drop(each);
      for (const other of await known.list()) if (other.sessionId === sessionId) await known.kill(other.id);
    },
    async keepOnly(sessionKey, sessionId) {
      const others = [...processes.values()].filter(
        (each) => each.sessionKey === sessionKey && each.sessionId !== sessionId,
      );
      await end(others);
      for (const each of others) drop(each);
    },
    async close() {
      const all = [...processes.values()];
      await end(all);
      for (const each of all) each.forget();
      processes.clear();
    },
  };
}

function overlap(one: string, other: string): boolean {
  return isInside(one, other) || isInside(other, one);
}
