import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { type DailyBackup, startDailyBackup } from './daily-backup.ts';

const folders: string[] = [];
let daily: DailyBackup | undefined;
afterEach(async () => {
  await daily?.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A program in the place of lainclaw that says one thing. */
function started(script: string, everyMs = 3_600_000): { lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'lainclaw-daily-'));
  folders.push(folder);
  const path = join(folder, 'program.mjs');
  writeFileSync(path, script);
  const lines: string[] = [];
  daily = startDailyBackup({
    program: [process.execPath, path],
    cwd: folder,
    variables: {},
    log: ({ level, event, message }) => lines.push(`${level} ${event}: ${message}`),
    firstAfterMs: 1,
    everyMs,
  });
  return { lines };
}

const said = (value: unknown): string => `console.log(${JSON.stringify(JSON.stringify(value))})`;

it('asks for the backup of the day, and says which file it is', async () => {
  const { lines } = started(`if (process.argv.slice(2).join(' ') === 'backup --automatic --if-older-than 23 --json')
    ${said({ success: true, made: true, file: '/home/x/backups/a.backup' })}`);
  await eventually(() => expect(lines).toEqual(["info backup: the day's backup was made: /home/x/backups/a.backup"]));
});

it('looks again later, and says nothing where none was needed', async () => {
  const { lines } = started(
    `import { appendFileSync, readFileSync } from 'node:fs';
     appendFileSync('count', 'x');
     const isThird = readFileSync('count', 'utf8') === 'xxx';
     console.log(JSON.stringify(isThird ? { error: { message: 'the disk is full' } } : { success: true, made: false }));`,
    1,
  );
  await eventually(() => expect(lines[0]).toBe('warn backup-failed: the disk is full'));
});

it('ends its process when the gateway ends', async () => {
  started('setInterval(() => {}, 1_000)');
  await daily?.stop();
});
