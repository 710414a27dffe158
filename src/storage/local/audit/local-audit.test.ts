import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeAudit } from '../../../../test/conformance/audit.ts';
import type { Audit, AuditEvent, AuditProblem } from '../../audit.ts';
import { createRedaction } from '../../redaction.ts';
import { createLocks } from '../locks.ts';
import { createLocalAudit } from './local-audit.ts';

let home: string;
let opened: Audit[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-audit-'));
  opened = [];
});
afterEach(async () => {
  for (const audit of opened) await audit.close();
  rmSync(home, { recursive: true, force: true });
});

function open(options: { keptBytes?: number; segmentBytes?: number; secrets?: string[] } = {}): Audit {
  const { keptBytes = 1e9, segmentBytes, secrets = [] } = options;
  const audit = createLocalAudit({
    home,
    locks: createLocks(join(home, 'locks')),
    now: () => Date.UTC(2026, 10, 16, 12),
    secrets: () => secrets,
    keptBytes,
    ...(segmentBytes && { segmentBytes }),
  });
  opened.push(audit);
  return audit;
}

function call(about: string): AuditEvent {
  return { kind: 'tool-call', who: 'owner', what: 'bash', about, outcome: 'allowed', why: 'it only reads' };
}

async function filled(count: number, options?: Parameters<typeof open>[0]): Promise<Audit> {
  const audit = open(options);
  for (let number = 1; number <= count; number += 1) await audit.append([call(`command ${number}`)]);
  return audit;
}

const segments = (): string[] => readdirSync(join(home, 'audit')).toSorted();
const path = (): string => join(home, 'audit', segments()[0] ?? '');
const lines = (): string[] => readFileSync(path(), 'utf8').split('\n').slice(0, -1);
const rewrite = (changed: readonly string[]): void =>
  writeFileSync(path(), changed.map((line) => `${line}\n`).join(''));
const shortly = ({ problem, n, through, line }: AuditProblem): string =>
  `${problem} ${n}${through === undefined ? '' : `-${through}`} at ${line}`;

describeAudit('files', async () => ({
  open: async () => open(),
  // The hooks of this file do it.
  remove: async () => {},
}));

describe('the audit log', () => {
  it('keeps every line with its number, in order', async () => {
    const audit = await filled(3);
    expect((await audit.newest(2)).map(({ n, about }) => [n, about])).toEqual([
      [2, 'command 2'],
      [3, 'command 3'],
    ]);
    expect(await audit.verify()).toMatchObject({ isSound: true, lines: 3, anchor: { n: 3 }, problems: [], notes: [] });
  });

  it('writes no secret', async () => {
    const audit = open({ secrets: ['hunter2hunter2'] });
    await audit.append([call('curl -H "Authorization: Bearer abcdefghijkl" --data hunter2hunter2 sk-abcdefghijkl')]);
    const text = readFileSync(path(), 'utf8');
    for (const secret of ['hunter2', 'abcdefghijkl']) expect(text).not.toContain(secret);
    expect((await audit.verify()).isSound).toBe(true);
  });

  it.each<[string, (all: string[]) => string[], string[]]>([
    ['a changed line', (all) => all.with(2, (all[2] ?? '').replace('command 3', 'command 9')), ['changed 3 at 3']],
    ['a removed line', (all) => all.toSpliced(2, 1), ['missing 3 at 3']],
    ['removed lines', (all) => all.toSpliced(1, 3), ['missing 2-4 at 2']],
    ['removed first lines', (all) => all.toSpliced(0, 2), ['missing 1-2 at 0']],
    ['removed last lines', (all) => all.slice(0, 4), ['missing 5-6 at 4']],
    ['two lines in the other order', (all) => all.with(2, all[3] ?? '').with(3, all[2] ?? ''), ['moved 3 at 4']],
    ['a line twice', (all) => all.toSpliced(2, 0, all[1] ?? ''), ['foreign 2 at 3']],
    ['a line that is none', (all) => all.toSpliced(2, 0, '{"hash":"none"}'), ['changed 3 at 3']],
    ['an overwritten line', (all) => all.with(2, 'x'.repeat(300)), ['changed 3 at 3']],
    ['everything removed', () => [], ['missing 1-6 at 0']],
  ])('finds and locates %s', async (_, damage, expected) => {
    const audit = await filled(6);
    rewrite(damage(lines()));
    const report = await audit.verify();
    expect(report.problems.map(shortly)).toEqual(expected);
    expect(report.isSound).toBe(false);
  });

  it('finds a line that was written again with a hash that fits', async () => {
    const audit = await filled(4);
    const before = lines();
    rmSync(join(home, 'audit'), { recursive: true });
    rmSync(join(home, 'audit-head.json'));
    const other = open();
    for (const about of ['command 1', 'command 2', 'something else']) await other.append([call(about)]);
    rewrite([...lines(), before[3] ?? '']);
    expect((await audit.verify()).problems.map(shortly)).toContain('replaced 3 at 4');
  });

  it('compares with an anchor that was kept elsewhere', async () => {
    const audit = await filled(4);
    const { anchor } = await audit.verify();
    await audit.append([call('later')]);
    expect((await audit.verify({ anchor })).isSound).toBe(true);
    const wrong = { n: 4, hash: '0'.repeat(64) };
    expect((await audit.verify({ anchor: wrong })).problems.map(({ problem }) => problem)).toEqual(['wrong-anchor']);
  });

  it('cuts off a torn last line, says so, and continues the chain', async () => {
    await (await filled(3)).close();
    appendFileSync(path(), '{"hash":"abc');
    expect(await open().verify()).toMatchObject({
      isSound: true,
      notes: [expect.stringContaining('whose writer was stopped')],
    });
    const audit = open();
    await audit.append([call('next')]);
    expect(await audit.verify()).toMatchObject({
      isSound: true,
      lines: 5,
      notes: [expect.stringContaining('cut off')],
    });
  });

  it('takes over lines whose writer was killed before the head was written', async () => {
    await (await filled(2)).close();
    const head = readFileSync(join(home, 'audit-head.json'));
    await (await filled(2)).close();
    writeFileSync(join(home, 'audit-head.json'), head);
    const audit = open();
    expect((await audit.verify()).isSound).toBe(true);
    await audit.append([call('next')]);
    expect(await audit.verify()).toMatchObject({ isSound: true, lines: 5, notes: [] });
  });

  it.each<[string, () => void, string]>([
    ['the end', () => truncateSync(path(), statSync(path()).size - 400), 'missing'],
    ['the head', () => rmSync(join(home, 'audit-head.json')), 'repair'],
    ['the files', () => rmSync(join(home, 'audit'), { recursive: true }), 'missing'],
  ])('continues after %s was removed, and keeps that visible', async (_, damage, sign) => {
    await (await filled(5)).close();
    damage();
    const audit = open();
    await audit.append([call('next')]);
    await audit.append([call('after next')]);
    const report = await audit.verify();
    if (sign === 'repair') expect(report.notes.join()).toContain('head of the log was missing');
    else expect(report.problems.map(({ problem }) => problem)).toContain('missing');
    expect((await audit.newest(1))[0]?.about).toBe('after next');
  });

  it('begins another file when one is full, and stays one chain after the oldest were removed', async () => {
    const audit = await filled(60, { segmentBytes: 2_000, keptBytes: 8_000 });
    expect(segments().length).toBeLessThanOrEqual(4);
    expect(segments()[0]).not.toBe('audit-000000000001.jsonl');
    const report = await audit.verify();
    expect(report.problems).toEqual([]);
    expect(report.notes.join()).toContain('were removed: the log is larger than auditMegabytes');
    rmSync(path());
    expect((await audit.verify()).problems.map(({ problem }) => problem)).toEqual(['missing']);
  });

  it('stays one chain when several processes append at once, also when one is killed', async () => {
    const script = `
      import { createLocks } from ${JSON.stringify(new URL('../locks.ts', import.meta.url).pathname)};
      import { createLocalAudit } from ${JSON.stringify(new URL('./local-audit.ts', import.meta.url).pathname)};
      const audit = createLocalAudit({ home: process.argv[1], locks: createLocks(process.argv[1] + '/locks'), now: Date.now, secrets: () => [], keptBytes: 1e9, segmentBytes: 20000 });
      for (let i = 0; i < 150; i += 1) await audit.append([{ kind: 'tool-call', who: 'owner', what: 'bash', about: 'x'.repeat(i) }]);
      await audit.close();`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script, home], { stdio: 'inherit' }),
    );
    const ends = children.map((child) => once(child, 'exit'));
    const [victim] = children;
    const audit = open({ segmentBytes: 20_000 });
    while ((await audit.verify()).lines < 40) await audit.append([call('beside')]);
    victim?.kill('SIGKILL');
    await Promise.all(ends);
    await audit.append([call('last')]);
    const report = await audit.verify();
    expect(report.problems).toEqual([]);
    expect(report.lines).toBeGreaterThan(450);
  });

  it('writes what is appended at the very moment in which a batch ends', async () => {
    const audit = open();
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const before = audit.append([call('before')]);
      await before;
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      await audit.append([call('after')]);
    }
    expect((await audit.verify()).lines).toBe(80);
  });

  it('finds any single changed byte', async () => {
    const audit = await filled(8);
    const sound = readFileSync(path());
    await fc.assert(
      fc.asyncProperty(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(sound);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        writeFileSync(path(), damaged);
        const report = await audit.verify();
        expect(report.isSound).toBe(false);
        const number = sound.subarray(0, at).toString('latin1').split('\n').length;
        expect(report.problems.some(({ n, through = n }) => n - 1 <= number && number <= through + 1)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('stays sound when a text is forgotten, and still finds what is changed otherwise', async () => {
    const audit = await filled(3);
    const anchor = (await audit.verify()).anchor;
    const places = await audit.redact(createRedaction('Command 2'), 'remove');
    expect(places).toMatchObject([{ count: 1 }]);
    expect((await audit.newest(4)).map(({ kind, about }) => (kind === 'redaction' ? kind : about))).toEqual([
      'command 1',
      '*********',
      'command 3',
      'redaction',
    ]);
    expect(await audit.verify({ anchor })).toMatchObject({
      isSound: true,
      notes: [expect.stringContaining('forgotten')],
    });
    await audit.append([call('command 4')]);
    rewrite(lines().map((line) => line.replace('*********', '********x').replace('command 4', 'command 5')));
    expect((await audit.verify()).problems.map(shortly)).toEqual(['changed 2 at 2', 'changed 5 at 5']);
  });
});
