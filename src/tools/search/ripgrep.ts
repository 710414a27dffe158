// ripgrep as a child that sees one directory, or one file, through a descriptor it inherits: what was walked is what is
// searched, whatever happens to the path meanwhile. Its expressions run in linear time, so no pattern can hang it.
import type { ChildProcess } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HeldPath } from '../../workspace/workspace.ts';
import { ToolFailure } from '../tool.ts';
import type { FileFilter } from './file-filter.ts';

/** The descriptor's number inside the child. */
const HELD = 3;
const FILE = `/proc/self/fd/${HELD}`;
const ERROR_LIMIT = 4_000;
/** What decides, in a directory above, about files below: ignore files, and a repository with rules of its own. */
const DECIDING_BELOW = ['.git', '.gitignore', '.ignore', '.rgignore'];

export interface RipgrepOptions {
  held: HeldPath;
  /** Flags only; the path is added here. */
  flags: readonly string[];
  /** Which files below a directory. */
  only?: FileFilter;
  signal: AbortSignal;
  /** Where the program is. */
  program(): Promise<string>;
  /** Ends each record. */
  separator: '\n' | '\0';
  /** Returns false to stop: enough was seen. */
  onRecord(record: string): boolean;
}

/** Resolves when ripgrep has ended or was stopped. A pattern that it refuses is a ToolFailure with its message. */
export async function ripgrep(options: RipgrepOptions): Promise<void> {
  const { held, only } = options;
  if (!only || held.kind === 'file') return search(options);
  await only.asIgnoreFile((path) =>
    search({ ...options, flags: [...options.flags, `--ignore-file=${path}`] }, `rg: ${path}: line 3: `),
  );
}

/** `aboutGlob`: how ripgrep's message about a glob that it cannot use begins; it continues without the glob. */
async function search(
  { held, flags, signal, program, separator, onRecord }: RipgrepOptions,
  aboutGlob?: string,
): Promise<void> {
  signal.throwIfAborted();
  const isDirectory = held.kind === 'directory';
  const given = isDirectory && !isDecidedAbove(held) ? [...flags, '--no-ignore-parent'] : flags;
  // Loaded with the first search: it costs every command two milliseconds.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(await program(), ['--no-config', ...given, '--', isDirectory ? './' : FILE], {
    // A directory becomes the working directory: patterns are anchored there.
    ...(isDirectory && { cwd: `/proc/self/fd/${held.fd}` }),
    // Nothing of ours reaches it but what it needs to start.
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', held.fd],
  });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const ended = exitOf(child);
    const errors = textOf(child);
    const stopped = await readRecords(child, separator, onRecord);
    if (stopped) stop();
    const code = await ended;
    signal.throwIfAborted();
    // 0: found, 1: nothing found, 2: some files could not be read, or the pattern is wrong.
    if (!stopped && (code === 2 || aboutGlob)) explain(await errors, aboutGlob);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** ripgrep asks the directories above about every file, also where they have nothing to say: a fifth of its time. */
function isDecidedAbove({ fd }: HeldPath): boolean {
  try {
    let directory = readlinkSync(`/proc/self/fd/${fd}`);
    if (!directory.startsWith('/') || directory.includes('\uFFFD')) return true;
    while (directory !== '/') {
      directory = dirname(directory);
      if (DECIDING_BELOW.some((name) => existsSync(join(directory, name)))) return true;
    }
    return false;
  } catch {
    return true;
  }
}

/** A path as ripgrep prints it, relative to the directory that was searched. */
export function withoutRoot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

async function readRecords(
  child: ChildProcess,
  separator: string,
  onRecord: (record: string) => boolean,
): Promise<boolean> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout ?? []) {
    const records = (rest + decoder.decode(chunk as Buffer, { stream: true })).split(separator);
    rest = records.pop() ?? '';
    for (const record of records) if (!onRecord(record)) return true;
  }
  return rest !== '' && !onRecord(rest);
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new ToolFailure(`ripgrep could not be started: ${error.message}`)));
    child.once('close', resolve);
  });
}

async function textOf(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stderr ?? []) if (text.length < ERROR_LIMIT) text += String(chunk);
  return text;
}

/** Unreadable files are passed over, as a person's grep would; the caller must correct what is wrong with the call. */
function explain(errors: string, aboutGlob: string | undefined): void {
  const lines = errors.split('\n').map((line) => (aboutGlob ? line.replace(aboutGlob, '') : line));
  const told = lines.filter((line) => !/^rg: (?:\.\/|\/)/.test(line)).join('\n');
  if (told.trim() !== '') throw new ToolFailure(told.trim().slice(0, 1_000), { code: 'invalid_args' });
}
