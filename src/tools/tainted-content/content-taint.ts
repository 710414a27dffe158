// Where content from outside comes from that a call would show, by what it could read and not by its name: files that a tainted turn wrote
// (taint-memory.ts), installed packages and received files (permissions/tainted-files.ts), and clones that nobody trusts.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TaintSource, taintSource } from '../../vocabulary/taint-source.ts';
import type { CommandReading } from '../permissions/command.ts';
import type { DecideContext } from '../permissions/decision.ts';
import { reachedDirectories } from '../permissions/judge.ts';
import { isInside, locate } from '../permissions/paths.ts';
import { isTaintedFile, RECEIVED } from '../permissions/tainted-files.ts';
import { pathsOf } from '../subject.ts';
import type { ToolArgs, ToolSpec } from '../tool.ts';
import { type CommandReads, READS_ANYTHING, readsOf, unpackersIn } from './command-reads.ts';
import { foreignFolder, type IsTrusted } from './foreign-folder.ts';
import type { TaintMemory } from './taint-memory.ts';
import { createDirectoryWalk, entriesOf } from './walk-directories.ts';

/** Below a folder that a program could read, and below one that is searched. */
const DEEPEST = 4;
const DEEPEST_SEARCHED = 12;

export interface ContentTaint {
  /** Where content from outside comes from that the call could show; empty: everything is the person's own. */
  shownBy(spec: ToolSpec, args: ToolArgs, context: DecideContext): Promise<readonly TaintSource[]>;
  /** What the files that the call writes will hold of somebody else's, whatever the turn has read. */
  writtenBy(spec: ToolSpec, args: ToolArgs, context: DecideContext): readonly TaintSource[];
  /** Of files whose content was shown, relative to the root. */
  ofFiles(paths: Iterable<string>): Promise<readonly TaintSource[]>;
  /** Of a program that may have read any file. */
  ofAnyFile(): Promise<readonly TaintSource[]>;
}

export interface ContentTaintDependencies {
  memory: TaintMemory;
  /** Of the workspace: absolute and without links. */
  root: string;
  isTrusted: IsTrusted;
  now(): number;
}

export function createContentTaint({ memory, root, isTrusted, now }: ContentTaintDependencies): ContentTaint {
  const walk = createDirectoryWalk(root, now);
  return {
    async shownBy(spec, args, context) {
      const subject = spec.subject(args);
      const isCode = subject.kind === 'none' && spec.effect === 'exec' && spec.isContained !== undefined;
      if (spec.handlesFiles !== 'contents' && subject.kind !== 'command' && !isCode) return [];
      const look = await createLook();
      if (spec.handlesFiles === 'contents') {
        const files = pathsOf(subject).flatMap(({ path }) => look.placeOf(path, root, context) ?? []);
        return firstOf(files, look.ofPath);
      }
      // What is typed into a program is read by that program, which may read anything.
      const isRead = subject.kind === 'command' && subject.runs !== 'typed-into-process';
      const reading = isRead ? context.parseCommand?.(subject.command) : undefined;
      return ofCommand(reading, look, context);
    },
    writtenBy(spec, args, context) {
      const subject = spec.subject(args);
      const reading = subject.kind === 'command' ? context.parseCommand?.(subject.command) : undefined;
      return reading ? [...new Set(unpackersIn(reading))].map((name) => taintSource('unpacked', name)) : [];
    },
    async ofFiles(paths) {
      const look = await createLook();
      return firstOf([...new Set(paths)], look.ofPath);
    },
    async ofAnyFile() {
      const look = await createLook();
      if (look.foreign !== undefined) return [taintSource('folder', look.foreign)];
      return anythingBelow('.', look, { packages: false });
    },
  };

  async function createLook() {
    const record = await memory.read();
    const foreign = await foreignFolder(root, isTrusted);
    const isOwn = foreign === undefined && (await isTrusted(root));
    return {
      record,
      foreign,
      isOwn,
      placeOf: (path: string, directory: string, context: DecideContext): string | undefined =>
        locate(path, { ...context, directory }).relative,
      async ofPath(path: string): Promise<readonly TaintSource[]> {
        if (isTaintedFile(path)) return [taintSource('file', path)];
        const written = memory.sourcesOf(path, record);
        if (written) return [taintSource('file', path), ...written];
        if (foreign !== undefined) return [taintSource('folder', foreign)];
        if (isOwn) return [];
        const clone = await foreignFolder(path === '.' ? root : parentOf(join(root, path)), isTrusted);
        return clone !== undefined && isInside(clone, root) ? [taintSource('folder', clone)] : [];
      },
    };
  }

  type Look = Awaited<ReturnType<typeof createLook>>;

  async function ofCommand(
    reading: CommandReading | undefined,
    look: Look,
    context: DecideContext,
  ): Promise<readonly TaintSource[]> {
    const reads = reading ? readsOf(reading) : READS_ANYTHING;
    const { named, below, anything, history } = reads;
    if (look.foreign !== undefined && (anything || history || named.length + below.length > 0))
      return [taintSource('folder', look.foreign)];
    const directories = reading ? reachedDirectories(reading, context) : [root];
    const files = directories.flatMap((directory) => namedFiles(named, directory, look, context));
    const shown = await firstOf(files, look.ofPath);
    if (shown.length > 0) return shown;
    if (anything || history) {
      const found = await anythingBelow('.', look, { packages: false });
      if (found.length > 0) return found;
    }
    const searched = directories.flatMap((directory) =>
      below.flatMap((path) => look.placeOf(path, directory, context) ?? []),
    );
    return firstOf(searched, (path) => anythingBelow(path, look, { packages: true, reads, text: reading?.text ?? '' }));
  }

  function namedFiles(named: CommandReads['named'], directory: string, look: Look, context: DecideContext): string[] {
    return named.flatMap(({ text, isPattern }) => {
      const paths = isPattern ? expand(text, directory) : [text];
      return paths.flatMap((path) => look.placeOf(path, directory, context) ?? []);
    });
  }

  interface Below {
    /** Installed packages count: what reads is a search, not a program that runs them. */
    packages: boolean;
    reads?: CommandReads;
    text?: string;
  }

  async function anythingBelow(folder: string, look: Look, options: Below): Promise<readonly TaintSource[]> {
    const isBelow = (path: string): boolean => folder === '.' || isInside(path, folder) || isInside(folder, path);
    for (const [tree, { from }] of look.record.trees) if (isBelow(tree)) return [taintSource('file', tree), ...from];
    for (const path of look.record.files.keys()) {
      const from = isBelow(path) ? memory.sourcesOf(path, look.record) : undefined;
      if (from) return [taintSource('file', path), ...from];
    }
    if (isFile(join(root, folder))) return look.ofPath(folder);
    const received = entriesOf(root).find(
      ({ name }) => RECEIVED.includes(name.toLowerCase()) && isBelow(name) && entriesOf(join(root, name)).length > 0,
    );
    if (received) return [taintSource('file', received.name)];
    // In a folder of the person's, only what prints or searches files can come across something else.
    if (look.isOwn && !options.packages) return [];
    for (const { path, isEmpty, isRepository } of walk(folder, options.packages ? DEEPEST_SEARCHED : DEEPEST)) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (isTaintedFile(`${path}/x`)) {
        if (options.packages && !isEmpty && !isLeftOut(name, options)) return [taintSource('file', path)];
      } else if (!look.isOwn && path !== '' && isRepository) {
        const clone = await foreignFolder(join(root, path), isTrusted);
        if (clone !== undefined) return [taintSource('folder', clone)];
      }
    }
    return [];
  }

  function isLeftOut(name: string, { reads, text = '' }: Below): boolean {
    const excluded = new RegExp(`(?:exclude|-not|!|-prune|-path|--ignore|-v)[^|;&]*${name}`).test(text);
    return excluded || (reads?.ignores === true && isIgnored(name));
  }

  function isIgnored(name: string): boolean {
    return ['.gitignore', '.ignore'].some((file) => {
      try {
        return readFileSync(join(root, file), 'utf8')
          .split('\n')
          .some((line) => line.replace(/^\/|\/\s*$/g, '').trim() === name);
      } catch {
        return false;
      }
    });
  }
}

async function firstOf(
  paths: readonly string[],
  look: (path: string) => Promise<readonly TaintSource[]>,
): Promise<readonly TaintSource[]> {
  for (const path of paths) {
    const found = await look(path);
    if (found.length > 0) return found;
  }
  return [];
}

/** Existing files that a pattern of the shell names. */
function expand(pattern: string, directory: string): string[] {
  try {
    return globSync(pattern.replaceAll('**', '*'), { cwd: directory });
  } catch {
    // Not a pattern that can be expanded: nothing is known to be there.
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
