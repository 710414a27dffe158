import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOutput } from './output.ts';
import { completeLength, skippedLength } from './utf8-cut.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sandbox-output-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const chunks = fc.array(
  fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), fc.uint8Array({ maxLength: 40 })),
  { maxLength: 30 },
);

describe('output', () => {
  test('what fits is kept as it is; what does not keeps its first and last bytes', async () => {
    const sizes = fc.record({ headBytes: fc.nat(60), tailBytes: fc.nat(60) });
    await fc.assert(
      fc.asyncProperty(chunks, sizes, async (parts, bounds) => {
        const output = createOutput({ ...bounds, maxBytes: 1_000_000 });
        for (const [stream, bytes] of parts) await output.add(stream, Buffer.from(bytes));
        const { stdout } = await output.finish();
        const all = Buffer.concat(parts.filter(([stream]) => stream === 'stdout').map(([, bytes]) => bytes));
        expect(stdout.bytes).toBe(all.length);
        expect(stdout.cut).toBe(all.length > bounds.headBytes + bounds.tailBytes);
        if (!stdout.cut) {
          expect(stdout.text).toBe(all.toString('utf8'));
          return;
        }
        const before = all.subarray(0, bounds.headBytes);
        const after = all.subarray(all.length - bounds.tailBytes);
        const head = before.subarray(0, completeLength(before)).toString('utf8');
        const tail = after.subarray(skippedLength(after)).toString('utf8');
        expect(stdout.text.startsWith(`${head}\n[… `)).toBe(true);
        expect(stdout.text.endsWith(` bytes cut …]\n${tail}`)).toBe(true);
      }),
    );
  });

  test('the file holds everything that was cut, in order of arrival, up to the limit', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 400 }), async (parts, maxBytes) => {
        count += 1;
        const spoolPath = join(directory, String(count));
        const output = createOutput({ headBytes: 20, tailBytes: 20, maxBytes, spoolPath });
        for (const [stream, bytes] of parts) await output.add(stream, Buffer.from(bytes));
        const { spool, interleaved } = await output.finish();
        const total = parts.reduce((sum, [, bytes]) => sum + bytes.length, 0);
        expect(interleaved.bytes).toBe(Math.min(total, maxBytes));
        expect(output.isFull).toBe(total > maxBytes);
        if (!interleaved.cut) {
          expect(spool).toBeUndefined();
          return;
        }
        const sorted = (bytes: Uint8Array) => Buffer.from(bytes).sort();
        const kept = readFileSync(spoolPath);
        expect(spool).toEqual({ path: spoolPath, bytes: kept.length });
        expect(kept.length).toBe(interleaved.bytes);
        if (total <= maxBytes) expect(sorted(kept)).toEqual(sorted(Buffer.concat(parts.map(([, bytes]) => bytes))));
      }),
    );
  });

  test('text in many languages is never cut within a character', async () => {
    const text = 'Привет, мир! 你好，世界！ Grüße 👩‍👩‍👧 naïve '.repeat(40);
    for (let headBytes = 0; headBytes < 30; headBytes += 1) {
      const output = createOutput({ headBytes, tailBytes: 77 - headBytes, maxBytes: 1_000_000 });
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 7) await output.add('stderr', bytes.subarray(at, at + 7));
      const { stderr, interleaved } = await output.finish();
      expect(stderr.text).not.toContain('\uFFFD');
      expect(interleaved.text).toBe(stderr.text);
      const [before = '', after = ''] = stderr.text.split(/\n\[… \d+ bytes cut …\]\n/);
      expect(text.startsWith(before)).toBe(true);
      expect(text.endsWith(after)).toBe(true);
    }
  });

  test('an existing file is not overwritten', async () => {
    const spoolPath = join(directory, 'there');
    execFileSync('sh', ['-c', `echo mine > ${spoolPath}`]);
    const output = createOutput({ headBytes: 1, tailBytes: 1, maxBytes: 100, spoolPath });
    await output.add('stdout', Buffer.from('hello'));
    expect((await output.finish()).spool).toMatchObject({ bytes: 0, problem: expect.stringContaining('EEXIST') });
    expect(readFileSync(spoolPath, 'utf8')).toBe('mine\n');
  });
});

describe('memory', () => {
  test('200 MB of output add less than 40 MB to the process that reads it', () => {
    const trial = new URL('../../test/support/sandbox-trial.ts', import.meta.url).href;
    const spoolPath = join(directory, 'flood');
    const code = `
      import { createTrial, trialOptions } from '${trial}';
      const trial = createTrial();
      const sandbox = trial.bubblewrap();
      const options = trialOptions({ onOutput() {} }, { spoolPath: '${spoolPath}' });
      await sandbox.run(trial.script('seq 1 100'), trialOptions());
      const before = process.resourceUsage().maxRSS;
      const { exitCode, stdout } = await sandbox.run(trial.script('head -c 200000000 /dev/zero'), options);
      const added = process.resourceUsage().maxRSS - before;
      trial.remove();
      console.log(JSON.stringify({ exitCode, bytes: stdout.bytes, addedKilobytes: added }));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    const result = JSON.parse(said);
    expect(result).toMatchObject({ exitCode: 0, bytes: 200_000_000 });
    expect(result.addedKilobytes).toBeLessThan(40_000);
    expect(statSync(spoolPath).size).toBe(200_000_000);
  });
});
