// Kills the process that loads it (`node --import`) right before one of its writes: LAINCLAW_TEST_KILL_AT says before which,
// counted from 1. Its last line on stderr names that write. Without a kill, LAINCLAW_TEST_COUNT_FILE gets the number of writes. A write is a call that changes a file or a directory, a statement of a
// database that does, and a piece of output.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

type Method = (...given: unknown[]) => unknown;

const killAt = Number(process.env.LAINCLAW_TEST_KILL_AT ?? 0);
const { writeSync, writeFileSync } = fs;
let count = 0;

function beforeWrite(what: string): void {
  count += 1;
  if (count !== killAt) return;
  writeSync(2, `killed before ${what}\n`);
  process.kill(process.pid, 'SIGKILL');
}

function watch(owner: object, names: readonly string[], isWrite: (given: unknown[]) => boolean = () => true): void {
  const methods = owner as Record<string, Method | undefined>;
  for (const name of names) {
    const method = methods[name];
    if (!method) continue;
    methods[name] = function (this: unknown, ...given) {
      if (isWrite(given)) beforeWrite(`${name} ${String(given[0]).slice(0, 200).replaceAll('\n', ' ')}`);
      return method.apply(this, given);
    };
  }
}

const NAMES = [
  'rename',
  'link',
  'symlink',
  'unlink',
  'mkdir',
  'rmdir',
  'rm',
  'chmod',
  'truncate',
  'writeFile',
  'appendFile',
];
const isCreating = ([, flags]: unknown[]): boolean =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
    : /[wa]/.test(String(flags ?? 'r'));

const handle = await fs.promises.open(process.execPath);
watch(Object.getPrototypeOf(handle) as object, [
  'write',
  'writeFile',
  'appendFile',
  'sync',
  'datasync',
  'chmod',
  'chown',
  'truncate',
]);
await handle.close();
watch(fs.promises, NAMES);
watch(fs.promises, ['open'], isCreating);
watch(fs, [...NAMES.map((name) => `${name}Sync`), 'writeSync', 'fsyncSync', 'fchmodSync', 'ftruncateSync']);
watch(fs, [...NAMES, 'write', 'fsync', 'fdatasync', 'fchmod', 'ftruncate']);
watch(fs, ['openSync', 'open'], isCreating);
watch(DatabaseSync.prototype, ['exec'], ([sql]) => !/^\s*(?:PRAGMA (?!incremental)|BEGIN)/i.test(String(sql)));
watch(DatabaseSync.prototype, ['close']);
watch(StatementSync.prototype, ['run']);
syncBuiltinESMExports();
process.on('exit', () => {
  beforeWrite('exit');
  const counted = process.env.LAINCLAW_TEST_COUNT_FILE;
  if (counted !== undefined) writeFileSync(counted, String(count));
});
