import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sessionKeyProblem } from './session-key.ts';

it.each([
  'main',
  '_',
  '9',
  'a.b:c@d+e=f-g',
  '会话',
  'чат',
  '__proto__',
  'x'.repeat(200),
  'user@example.com',
  'feishu:ou_1',
])('%s can name a session', (key) => {
  expect(sessionKeyProblem(key)).toBeUndefined();
});

it.each([
  '',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  '-a',
  ':a',
  'a b',
  ' a',
  'a\n',
  'a\0',
  '😀',
  'a😀',
  '\u0301a',
  'x'.repeat(201),
  '字'.repeat(67),
  '\ud800',
])('%j cannot', (key) => {
  expect(sessionKeyProblem(key)).toMatch(/\w/);
});

it('a key that is accepted is a plain file name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      if (sessionKeyProblem(key) !== undefined) return;
      expect(key).not.toMatch(/[/\\\0\s]|^\.|^-|\p{C}/u);
      expect(Buffer.byteLength(`${key}.md`)).toBeLessThanOrEqual(255);
    }),
    { numRuns: 2_000 },
  );
});
