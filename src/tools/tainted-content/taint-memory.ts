// Which files of a workspace hold content from outside because a tainted turn wrote them: `tainted-files.json` of the home. A file is
// remembered with a digest of its content: once a person has edited it, it is another content and counts as theirs. A tree (a clone, what
// was unpacked) is remembered by its folder until a person approves it. A command is on record before it runs: where the process is
// killed meanwhile, every file that changed since then is remembered when the record is next read. So is, at every reading, what changed
// since a command began that lasts in the background, but for what our own tools have written of the person's meanwhile.
import { createHash } from 'node:crypto';
import { readStat } from '../../sandbox/end-tree.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import type { TaintSource } from '../../vocabulary/taint-source.ts';
import { markOf, readSmall } from '../../workspace/read-many.ts';
import { createDirectoryWalker, type ListedFiles } from '../../workspace/walk-directories.ts';
import { KEPT_FILES } from '../shell/kept-files.ts';
import { EMPTY_RECORD, type PendingCommand, parseTaintRecord, type TaintRecord, withRecord } from './taint-record.ts';

export const TAINTED_FILES = 'tainted-files.json';
/** Size and time distinguish the content of larger files. */
const LARGEST_DIGESTED = 4 * 1024 * 1024;
/** Beyond these, whole folders are remembered. */
const MOST_FILES = 1_000;
/** No command runs for so long: what is still on record then was killed. */
const LONGEST_COMMAND_MS = 15 * 60_000;
/** A file system's clock may lag a little behind ours. */
const CLOCK_MS = 50;
const LOOKED_THROUGH: ListedFiles = {
  most: Number.POSITIVE_INFINITY,
  notBelow: KEPT_FILES.notBelow,
};

export interface TaintMemory {
  read(): Promise<TaintRecord>;
  /** Where the content of this file came from, when it is still the content that was remembered, perhaps under another name. */
  sourcesOf(path: string, record: TaintRecord): readonly TaintSource[] | undefined;
  /** Durable when it resolves. `bytes`: the content that the file is about to have; by default what it has. */
  remember(files: readonly { path: string; bytes?: Uint8Array }[], sources: readonly TaintSource[]): Promise<void>;
  rememberTrees(folders: readonly string[], sources: readonly TaintSource[]): Promise<void>;
  /** All files that changed since then, for a command whose changes are not known. */
  rememberSince(at: number, sources: readonly TaintSource[]): Promise<void>;
  /** Puts a command on record that may write; the returned function takes it off again. `lasts`: it outlives its call. */
  begin(sources: readonly TaintSource[], options?: { lasts?: boolean }): Promise<() => Promise<void>>;
  /** What a turn without content from outside has written: no command in the background has fetched that. */
  noteOwn(files: readonly { path: string; bytes: Uint8Array }[]): void;
  /** A person approves the file or folder and all below it. Resolves with how many entries were forgotten. */
  approve(path: string): Promise<number>;
}

export interface TaintMemoryDependencies {
  files: Pick<OwnerFiles, 'read' | 'update'>;
  /** Of the workspace: absolute and without links. */
  root: string;
  now(): number;
  newId(prefix: string): string;
}

export function createTaintMemory({ files, root, now, newId }: TaintMemoryDependencies): TaintMemory {
  const digests = new Map<string, { mark: string; digest: string }>();
  /** Digests by path, while a command lasts in the background. */
  const own = new Map<string, string>();
  let lasting = 0;

  async function change(make: (record: TaintRecord) => TaintRecord): Promise<void> {
    await files.update(TAINTED_FILES, (text) => withRecord(text, root, make));
  }

  function digestOf(path: string): string | undefined {
    const mark = markOf(root, path);
    if (!mark) return undefined;
    const key = `${mark.ino}:${mark.size}:${mark.mtimeMs}:${mark.ctimeMs}`;
    const known = digests.get(path);
    if (known?.mark === key && now() - mark.ctimeMs > CLOCK_MS * 2) return known.digest;
    const file = mark.size > LARGEST_DIGESTED ? undefined : readSmall(root, path, LARGEST_DIGESTED);
    const digest = file ? sha256(file.bytes) : `large:${mark.size}:${mark.mtimeMs}`;
    digests.set(path, { mark: key, digest });
    return digest;
  }

  async function remember(
    written: readonly { path: string; bytes?: Uint8Array }[],
    sources: readonly TaintSource[],
  ): Promise<void> {
    const at = new Date(now()).toISOString();
    const entries = written.flatMap(({ path, bytes }) => {
      const digest = bytes ? sha256(bytes) : digestOf(path);
      return digest === undefined ? [] : [[path, { digest, from: [...sources], at }] as const];
    });
    if (entries.length === 0) return;
    const added = new Set(entries.map(([path]) => path));
    await change((record) => bounded({ ...record, files: new Map([...record.files, ...entries]) }, { added, at }));
  }

  async function rememberTrees(folders: readonly string[], sources: readonly TaintSource[]): Promise<void> {
    if (folders.length === 0) return;
    const at = new Date(now()).toISOString();
    const entries = folders.map((folder) => [folder, { from: [...sources], at }] as const);
    await change((record) => ({ ...record, trees: new Map([...record.trees, ...entries]) }));
  }

  async function changedSince(since: number): Promise<string[]> {
    const signal = new AbortController().signal;
    const { files = [] } = await createDirectoryWalker({ files: LOOKED_THROUGH, onlyListed: true })(root, {
      signal,
      now,
    });
    return files.filter((path) => (markOf(root, path)?.ctimeMs ?? 0) >= since - CLOCK_MS);
  }

  async function rememberSince(since: number, sources: readonly TaintSource[]): Promise<void> {
    const changed = await changedSince(since);
    await remember(
      changed.map((path) => ({ path })),
      sources,
    );
  }

  /** Of a command in the background; true when anything was new. */
  async function rememberFetched({ at, from }: PendingCommand, known: TaintRecord): Promise<boolean> {
    const changed = (await changedSince(at)).filter((path) => {
      const digest = digestOf(path);
      return digest !== undefined && digest !== own.get(path) && digest !== known.files.get(path)?.digest;
    });
    await remember(
      changed.map((path) => ({ path })),
      from,
    );
    return changed.length > 0;
  }

  /** Commands whose process has ended without taking them off, and those that last. */
  async function settle(record: TaintRecord): Promise<TaintRecord> {
    const isOver = (command: PendingCommand): boolean =>
      !isAlive(command) || (!command.lasts && now() - command.at > LONGEST_COMMAND_MS);
    const killed = [...record.pending].filter(([, command]) => isOver(command));
    let isChanged = killed.length > 0;
    for (const command of record.pending.values())
      if (command.lasts && !isOver(command)) isChanged = (await rememberFetched(command, record)) || isChanged;
    if (!isChanged) return record;
    for (const [, { at, from }] of killed) await rememberSince(at, from);
    const over = killed.map(([id]) => id);
    if (over.length > 0) await change((current) => ({ ...current, pending: without(current.pending, over) }));
    return parseTaintRecord(await files.read(TAINTED_FILES), root);
  }

  return {
    async read() {
      const text = await files.read(TAINTED_FILES);
      return text === undefined ? EMPTY_RECORD : settle(parseTaintRecord(text, root));
    },
    sourcesOf(path, record) {
      const tree = [...record.trees].find(
        ([folder]) => folder === '.' || path === folder || path.startsWith(`${folder}/`),
      );
      if (tree) return tree[1].from;
      if (record.files.size === 0) return undefined;
      const digest = digestOf(path);
      if (digest === undefined) return undefined;
      const own = record.files.get(path);
      if (own?.digest === digest) return own.from;
      return [...record.files.values()].find((each) => each.digest === digest)?.from;
    },
    remember,
    rememberTrees,
    rememberSince,
    noteOwn(written) {
      if (lasting > 0) for (const { path, bytes } of written) own.set(path, sha256(bytes));
    },
    async begin(sources, { lasts = false } = {}) {
      const id = newId('command');
      const { pid } = process;
      const entry = { at: now(), pid, started: readStat(pid)?.started, from: [...sources], ...(lasts && { lasts }) };
      await change((record) => ({ ...record, pending: new Map([...record.pending, [id, entry]]) }));
      if (lasts) lasting += 1;
      return async () => {
        if (lasts) lasting -= 1;
        if (lasting === 0) own.clear();
        await change((record) => ({ ...record, pending: without(record.pending, [id]) }));
      };
    },
    async approve(path) {
      const isBelow = (each: string): boolean => path === '.' || each === path || each.startsWith(`${path}/`);
      let forgotten = 0;
      await change((record) => {
        // The same content elsewhere is approved with it.
        const digests = new Set([...record.files].flatMap(([each, { digest }]) => (isBelow(each) ? [digest] : [])));
        const files = [...record.files].flatMap(([each, { digest }]) => (digests.has(digest) ? [each] : []));
        const gone = [...files, ...[...record.trees.keys()].filter(isBelow)];
        forgotten = gone.length;
        return { ...record, files: without(record.files, gone), trees: without(record.trees, gone) };
      });
      return forgotten;
    },
  };

  /**
   * Where there are too many files, the folders that they are in are remembered instead; entries that no longer hold are dropped. A file
   * that was just added is kept: it may not be written yet.
   */
  function bounded(record: TaintRecord, { added, at }: { added: ReadonlySet<string>; at: string }): TaintRecord {
    if (record.files.size <= MOST_FILES) return record;
    const holding = [...record.files].filter(([path, { digest }]) => added.has(path) || digestOf(path) === digest);
    if (holding.length <= MOST_FILES) return { ...record, files: new Map(holding) };
    const trees = new Map(record.trees);
    for (const [path, { from }] of holding) {
      const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
      trees.set(folder, { from: [...new Set([...(trees.get(folder)?.from ?? []), ...from])].slice(0, 20), at });
    }
    return { ...record, files: new Map(), trees };
  }
}

function without<T>(map: ReadonlyMap<string, T>, keys: readonly string[]): Map<string, T> {
  const gone = new Set(keys);
  return new Map([...map].filter(([key]) => !gone.has(key)));
}

function isAlive({ pid, started }: PendingCommand): boolean {
  const stat = readStat(pid);
  if (stat && ((started !== undefined && stat.started !== started) || stat.state === 'Z')) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
