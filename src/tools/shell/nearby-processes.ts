// Commands in the background run files as they change: what a tainted turn writes into the workspace may run there, with the rights that
// the command was given before. So they are guarded before such a turn changes a file, and one that could carry something out makes
// every change a question. Those of another process of this home cannot be guarded from here.
import { join } from 'node:path';
import type { Lazy } from '../../lib/lazily.ts';
import type { BackgroundProcess } from '../../sandbox/background/background-process.ts';
import type { Processes } from '../../sandbox/background/processes.ts';
import type { Changes } from '../../undo/changes.ts';
import type { TaintSource } from '../../vocabulary/taint-source.ts';
import { visible } from '../permissions/question.ts';
import type { RememberFetched } from '../tool.ts';

export interface ComingChange {
  changes: Changes;
  /** Content from outside that the call may carry on. */
  sources: readonly TaintSource[];
  /** Files that other programs run and this call may change; absolute. */
  approvedPaths: readonly string[];
  rememberFetched?: RememberFetched | undefined;
}

/** Before a call that may change files; undefined when nothing runs that could run them. */
export type BeforeChange = (
  change: ComingChange,
) => Promise<{ changes: Changes /** Once the call has ended. */; end(): Promise<void> } | undefined>;

export interface NearbyProcesses {
  /** Why a change could leave the workspace; undefined when it cannot. */
  wayOut(): Promise<string | undefined>;
  beforeChange: BeforeChange;
}

export function createNearbyProcesses(
  processes: Lazy<Processes>,
  { root, warn }: { root: string; warn(text: string): void },
): NearbyProcesses {
  /** What they write is remembered as tainted, until they end. */
  const guarded = new WeakSet<BackgroundProcess>();

  async function guard(process: BackgroundProcess, { sources, rememberFetched }: ComingChange): Promise<void> {
    process.taint(sources);
    if (process.isConfined) return;
    await process.guard?.begin(sources);
    if (guarded.has(process)) return;
    guarded.add(process);
    void process.ended.then(() => {
      for (const note of process.notes) warn(`${process.id}: ${note}`);
    });
    const ended = await rememberFetched?.(sources);
    void process.ended.then(() => ended?.(sources)).catch(() => {});
  }

  return {
    async wayOut() {
      const { ours, others } = await (await processes()).around(root);
      const reaching = ours.filter(({ hosts }) => hosts.length > 0);
      const reasons = [
        ...reaching.map(
          ({ id, command, hosts }) =>
            `the command in the background ${id} (${visible(command)}) may run what is changed here and reaches ${hosts.join(', ')}: wait for its end, or end it (process kill)`,
        ),
        ...others
          .filter(({ isConfined = false }) => !isConfined)
          .map(
            ({ id, command }) =>
              `the command in the background ${id} (${visible(command)}) of another Lainclaw may run what is changed here: end it (lainclaw ps end ${id})`,
          ),
      ];
      return reasons.length > 0 ? reasons.join('; ') : undefined;
    },
    async beforeChange(change) {
      const { changes, sources, approvedPaths } = change;
      const { ours = [] } = (await (await processes.made())?.around(root)) ?? {};
      if (ours.length === 0) return undefined;
      if (sources.length > 0) await Promise.all(ours.map((each) => guard(each, change)));
      const guards = ours.flatMap((each) => each.guard ?? []);
      const ends = guards.map((each) => each.approve(approvedPaths));
      const accept = async (path: string, file: { bytes: Uint8Array; mode: number } | undefined): Promise<void> => {
        if (file) await Promise.all(guards.map((each) => each.accept(join(root, path), file)));
      };
      return {
        changes: {
          async record(made) {
            await changes.record(made);
            await accept(made.path, made.after);
          },
          async applyTogether(changeSet) {
            for (const { path, target } of changeSet.files) await accept(path, target);
            return changes.applyTogether(changeSet);
          },
          recordMade: changes.recordMade,
        },
        async end() {
          await Promise.all(ends.map((each) => each()));
        },
      };
    },
  };
}
