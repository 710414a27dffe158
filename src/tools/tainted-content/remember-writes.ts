// Remembers what one call writes of content from outside: files of a tainted turn, what was unpacked or fetched, and new clones. A file
// whose change a person has seen and approved is theirs. An edit is remembered before it is made; a command is on record while it runs,
// so that a kill leaves nothing out.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from '../../storage/undo-records.ts';
import type { Changes } from '../../undo/changes.ts';
import { type TaintSource, taintSource } from '../../vocabulary/taint-source.ts';
import type { Decision } from '../policy.ts';
import { pathsOf } from '../subject.ts';
import type { RememberFetched, ToolArgs, ToolSpec } from '../tool.ts';
import { hasRemote } from './foreign-folder.ts';
import type { TaintMemory } from './taint-memory.ts';

export interface Writing {
  changes: Changes;
  spec: ToolSpec;
  args: ToolArgs;
  decision: Decision & { allowed: true };
  /** Content from outside in the turn and in what the call reads. */
  sources: readonly TaintSource[];
}

export type RememberWrites = (writing: Writing) => Promise<{
  /** Remembers, then records. */
  changes: Changes;
  /** Once the call has ended, however it ended. */
  end(): Promise<void>;
  rememberFetched: RememberFetched;
}>;

export interface RememberWritesDependencies {
  memory: TaintMemory;
  root: string;
  now(): number;
}

export function createRememberWrites({ memory, root, now }: RememberWritesDependencies): RememberWrites {
  return async ({ changes, spec, args, decision, sources }) => {
    const startedAt = now();
    const isApproved = decision.answer !== undefined && pathsOf(spec.subject(args)).length > 0;
    const mayWrite = spec.effect === 'exec' && !decision.onlyReads;
    const { network, writesTaint = [] } = decision;
    const hosts = network?.hosts.map(({ name }) => taintSource('host', name)) ?? [];
    // Where it is killed, nothing tells what it had fetched or unpacked by then.
    const mayBring = [...new Set([...sources, ...writesTaint, ...hosts])];
    const end = mayWrite && mayBring.length > 0 ? await memory.begin(mayBring) : async () => {};
    return {
      end,
      async rememberFetched(from) {
        const brings = [...from, ...writesTaint];
        const takeOff = brings.length > 0 ? await memory.begin(brings, { lasts: true }) : undefined;
        return async (fetchedFrom) => {
          // What is on record is remembered when it is read.
          if (fetchedFrom.length + writesTaint.length > 0) await memory.read();
          await takeOff?.();
          await rememberClones(newClones([], startedAt));
        };
      },
      changes: {
        async record(change) {
          const { path, after } = change;
          if (after && sources.length > 0 && !isApproved)
            await memory.remember([{ path, bytes: after.bytes }], sources);
          else if (after) memory.noteOwn([{ path, bytes: after.bytes }]);
          await changes.record(change);
        },
        async applyTogether(changeSet) {
          const written = changeSet.files.flatMap(({ path, target }) =>
            target ? [{ path, bytes: target.bytes }] : [],
          );
          if (written.length > 0 && sources.length > 0 && !isApproved) await memory.remember(written, sources);
          else memory.noteOwn(written);
          return changes.applyTogether(changeSet);
        },
        async recordMade(made) {
          const { fetchedFrom = [], notCovered } = made;
          const clones = newClones(made.changes, notCovered === undefined ? undefined : startedAt);
          await rememberClones(clones);
          const from = [...new Set([...sources, ...fetchedFrom, ...writesTaint])];
          if (from.length > 0 && notCovered !== undefined) await memory.rememberSince(startedAt, from);
          else if (from.length > 0) await memory.remember(written(made.changes, clones), from);
          // Not noted as the person's own: a command in the background may have written it at the same time.
          await changes.recordMade(made);
        },
      },
    };
  };

  async function rememberClones(clones: readonly string[]): Promise<void> {
    for (const clone of clones) await memory.rememberTrees([clone], [taintSource('folder', join(root, clone))]);
  }

  /** `since`: where not every change is known, folders are looked through for clones made since then. */
  function newClones(made: readonly FileChange[], since: number | undefined): string[] {
    const folders = new Set(made.flatMap(({ madeDirectories }) => madeDirectories));
    if (since !== undefined) for (const folder of nearFolders()) if (isNew(folder, since)) folders.add(folder);
    const clones = [...folders].filter((folder) => hasRemote(join(root, folder, '.git', 'config')));
    return clones.filter((clone) => !clones.some((other) => clone.startsWith(`${other}/`)));
  }

  function isNew(folder: string, since: number): boolean {
    try {
      const stats = lstatSync(join(root, folder, '.git'), { throwIfNoEntry: false });
      return stats !== undefined && stats.birthtimeMs >= since - 1_000;
    } catch {
      return false;
    }
  }

  function nearFolders(): string[] {
    const top = foldersIn('');
    return [...top, ...top.flatMap((folder) => foldersIn(folder))];
  }

  function foldersIn(folder: string): string[] {
    try {
      const entries = readdirSync(join(root, folder), { withFileTypes: true });
      return entries.flatMap((entry) =>
        entry.isDirectory() ? [folder === '' ? entry.name : `${folder}/${entry.name}`] : [],
      );
    } catch {
      return [];
    }
  }
}

function written(made: readonly FileChange[], clones: readonly string[]): { path: string; bytes: Uint8Array }[] {
  const isOfClone = (path: string): boolean => clones.some((clone) => path.startsWith(`${clone}/`));
  return made.flatMap(({ path, after }) => (after && !isOfClone(path) ? [{ path, bytes: after.bytes }] : []));
}
