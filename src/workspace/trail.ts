// The directories a walk has come through, each held by a grip, so that `..` goes back to where the walk came from
// and never to where a directory has been moved meanwhile. Knows at any moment whether the root is among them:
// that, and nothing about the spelling of a path, is what "inside" means.
import type { BigIntStats } from 'node:fs';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { join, toText } from './byte-path.ts';
import { type Grasp, type Grip, type Identity, isSame } from './grip.ts';
import { systemCode } from './refusal.ts';

/** The workspace root as it was when the workspace was created. */
export interface Ground extends Identity {
  /** Byte path, real and absolute. */
  readonly path: string;
  readonly grasp: Grasp;
}

export interface Reached {
  /** The caller releases it. */
  grip: Grip;
  stats: BigIntStats;
  /** Byte path relative to the root, links resolved; '' for the root itself. */
  path: string;
}

export type Trail = ReturnType<typeof createTrail>;

interface Step {
  name: string;
  grip: Grip;
  stats?: BigIntStats;
}

export function createTrail(ground: Ground) {
  let steps: Step[] = [];
  let rootAt = -1;

  function top(): Step {
    const last = steps.at(-1);
    if (last === undefined) throw new Error('the trail is empty');
    return last;
  }

  async function stat(): Promise<BigIntStats> {
    const step = top();
    step.stats ??= await step.grip.stat();
    return step.stats;
  }

  /** The trail owns the grip from here on, also when this fails. */
  async function push(name: string, grip: Grip): Promise<void> {
    steps.push({ name, grip });
    if (rootAt < 0 && isSame(await stat(), ground)) rootAt = steps.length - 1;
  }

  function names(): string[] {
    return steps.slice(rootAt + 1).map((step) => step.name);
  }

  function release(): void {
    for (const step of steps) step.grip.release();
    steps = [];
    rootAt = -1;
  }

  return {
    push,
    stat,
    release,
    /** Fails when the end of the trail is held only by its path and that path leads elsewhere by now. */
    confirm: (): Promise<void> => ground.grasp.confirm(top().grip),
    isInside: (): boolean => rootAt >= 0,
    depth: (): number => steps.length,
    /** Names from the root to the end of the trail, which must be inside. */
    names,
    addressOf: (name: string): string => join(top().grip.address, name),

    async restartAtTop(): Promise<void> {
      release();
      await push('', await ground.grasp.directory('/'));
    },

    /** Fails when the path of the root no longer leads to the directory it was. */
    async restartAtRoot(): Promise<void> {
      release();
      const root = toText(ground.path);
      try {
        await push('', await ground.grasp.directory(ground.path));
      } catch (cause) {
        throw new WorkspaceError('io', `The workspace ${root} cannot be reached: ${systemCode(cause)}`, cause);
      }
      if (rootAt < 0) throw new WorkspaceError('io', `The workspace ${root} has been replaced by another directory`);
    },

    /** False at the start of the trail. */
    back(): boolean {
      if (steps.length < 2) return false;
      const left = steps.pop();
      if (rootAt >= steps.length) rootAt = -1;
      left?.grip.release();
      return true;
    },

    /** Returns the last step, which must be inside; the others stay held. */
    async take(): Promise<Reached> {
      const stats = await stat();
      const path = names().join('/');
      const { grip } = top();
      steps.pop();
      return { grip, stats, path };
    },
  };
}
