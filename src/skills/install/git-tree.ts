// Reads a git repository from its objects alone: a bare clone of the newest commit has no working tree, so no hook, filter,
// attribute or submodule of the repository takes effect, and none of its links is ever made.
import { join } from 'node:path';
import { SkillError } from '../skill-error.ts';
import { runProgram } from './run-program.ts';
import { MAX_ENTRIES, MAX_TOTAL_BYTES, safePath, type Tree, type TreeEntry, tooManyEntries } from './tree.ts';

const CLONE_TIMEOUT_MS = 180_000;
const READ_TIMEOUT_MS = 60_000;
const MAX_LISTING_BYTES = 16 * 1_048_576;
const PROTOCOLS = 'https:ssh:file';

const SAFE_SETTINGS = [
  ...['-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'protocol.ext.allow=never'],
];

export interface GitOptions {
  url: string;
  /** A private empty directory. */
  temporary: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

interface Blob extends TreeEntry {
  id: string;
}

export async function cloneTree(options: GitOptions): Promise<Tree & { commit: string }> {
  const repository = join(options.temporary, 'repository');
  const flags = ['--bare', '--depth', '1', '--single-branch', '--no-tags', '--no-recurse-submodules', '--template='];
  await git(options, ['clone', ...flags, '--quiet', '--', options.url, repository], { timeoutMs: CLONE_TIMEOUT_MS });
  const within = [`--git-dir=${repository}`];
  const commit = (await git(options, [...within, 'rev-parse', 'HEAD'])).toString('utf8').trim();
  const blobs = parseListing(await git(options, [...within, 'ls-tree', '-r', '-z', '-l', '--full-tree', 'HEAD']));
  const ids = new Map(blobs.map(({ path, id }) => [path, id]));
  return {
    commit,
    entries: blobs.map(({ id: _, ...entry }) => entry),
    async read(entries) {
      if (entries.length === 0) return [];
      const stdin = entries.map(({ path }) => `${ids.get(path)}\n`).join('');
      const maxOutputBytes = entries.reduce((sum, { size }) => sum + size + 200, 0);
      return parseBlobs(await git(options, [...within, 'cat-file', '--batch'], { stdin, maxOutputBytes }), entries);
    },
  };
}

function git(
  { temporary, env, signal }: GitOptions,
  args: readonly string[],
  {
    stdin,
    maxOutputBytes = MAX_LISTING_BYTES,
    timeoutMs = READ_TIMEOUT_MS,
  }: { stdin?: string; maxOutputBytes?: number; timeoutMs?: number } = {},
): Promise<Buffer> {
  return runProgram({
    file: 'git',
    args: [...SAFE_SETTINGS, ...args],
    cwd: temporary,
    env: { ...env, GIT_ALLOW_PROTOCOL: PROTOCOLS, GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' },
    stdin,
    maxOutputBytes,
    timeoutMs,
    signal,
  });
}

/** `<mode> <type> <id> <size>\t<path>\0` for each. */
function parseListing(listing: Buffer): Blob[] {
  const records = listing.toString('utf8').split('\0').slice(0, -1);
  if (records.length > MAX_ENTRIES) throw tooManyEntries();
  return records.map((record) => {
    const [, mode = '', id = '', size = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(record) ?? [];
    const kind = mode.startsWith('100') ? 'file' : mode === '120000' ? 'link' : 'other';
    return { path: safePath(path), kind, size: kind === 'file' ? Number(size) : 0, executable: mode === '100755', id };
  });
}

/** `<id> blob <size>\n<bytes>\n` for each. */
function parseBlobs(output: Buffer, entries: readonly TreeEntry[]): Buffer[] {
  let at = 0;
  return entries.map(({ path, size }) => {
    const newline = output.indexOf(0x0a, at);
    const head = output.subarray(at, newline).toString('latin1');
    const bytes = output.subarray(newline + 1, newline + 1 + size);
    at = newline + 1 + size + 1;
    if (newline < 0 || !head.endsWith(` blob ${size}`) || bytes.length !== size || size > MAX_TOTAL_BYTES)
      throw new SkillError('SKILL_FETCH', `git could not read ${path}`);
    return bytes;
  });
}
