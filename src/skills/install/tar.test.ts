import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SkillError } from '../skill-error.ts';
import { readTar } from './tar.ts';

const LONG = `${'long-name-'.repeat(12)}/${'file-'.repeat(30)}.md`;

function packed(format: string): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-tar-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [path, text] of [
    ['SKILL.md', 'text'],
    ['scripts/run.sh', 'echo'],
    [LONG, 'long'],
    ['empty', ''],
  ] as const) {
    const target = join(directory, 'package', path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
  symlinkSync('/etc/passwd', join(directory, 'package/link'));
  return execFileSync('tar', ['-c', `--format=${format}`, '-C', directory, 'package']);
}

/** One header with its content, as any program could write it. */
function header(name: string, { type = '0', content = '' } = {}): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write('0000644\0', 100);
  block.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([block, body]);
}

describe('an archive', () => {
  it.each(['pax', 'gnu'])('in the form %s gives its files; links are named, never followed', (format) => {
    const entries = readTar(packed(format));
    const seen = entries.map(({ path, kind, executable, bytes }) => [
      path,
      kind,
      kind === 'file' && executable,
      `${bytes}`,
    ]);
    expect(seen.toSorted()).toEqual(
      [
        ['SKILL.md', 'file', false, 'text'],
        ['scripts/run.sh', 'file', true, 'echo'],
        [LONG, 'file', false, 'long'],
        ['empty', 'file', false, ''],
        ['link', 'link', false, ''],
      ].toSorted(),
    );
  });

  it.each(['../evil', 'package/../../evil', '/etc/evil', 'package//x', 'package/a\\b', './../evil', 'package/..'])(
    'with the path %s is refused whole',
    (path) => {
      expect(() => readTar(Buffer.concat([header('package/SKILL.md', { content: 'x' }), header(path)]))).toThrow(
        'nothing is taken from it',
      );
    },
  );

  it('cannot hide a path in an extended header', () => {
    const pax = header('pax', { type: 'x', content: '20 path=../../evil\n\n' });
    expect(() => readTar(Buffer.concat([pax, header('package/x')]))).toThrow(SkillError);
    const long = header('long', { type: 'L', content: '../../evil\0' });
    expect(() => readTar(Buffer.concat([long, header('package/x')]))).toThrow('nothing is taken from it');
  });

  it('names devices and hard links, and reads neither', () => {
    const entries = readTar(
      Buffer.concat([header('package/dev', { type: '3' }), header('package/hard', { type: '1' })]),
    );
    expect(entries.map(({ kind }) => kind)).toEqual(['other', 'link']);
  });

  it('of any bytes is read or refused, never more', () => {
    const whole = Buffer.concat([
      header('package/SKILL.md', { content: 'hello' }),
      header('package/b', { content: 'b' }),
    ]);
    const damage = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), cut: fc.nat(whole.length) });
    fc.assert(
      fc.property(damage, ({ at, byte, cut }) => {
        const bytes = Buffer.from(whole.subarray(0, cut));
        if (at < bytes.length) bytes[at] = byte;
        try {
          for (const { path } of readTar(bytes)) expect(path.split('/')).not.toContain('..');
        } catch (error) {
          expect(error).toBeInstanceOf(SkillError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
