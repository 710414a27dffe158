import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { inAscii } from '../../scripts/plain-ascii.ts';

const PADDING = `/* ${'ascii '.repeat(500)} */`;
const read = (code: string): unknown => JSON.parse(JSON.stringify(runInNewContext(code)));

it.each([
  ['a text', '["é", "\\é", "\\\\é", "你好", "🌧", "\\u00e9é"]'],
  ['a template', '[`é\\é`, `\\\\\\é`]'],
  ['a pattern', '["xéy".replace(/\\é/, "-"), "🌧".replace(/^[🌧你]$/u, "-"), "\\\\é".replace(/^\\\\é$/, "-")]'],
  ['a name', '(() => { const größe = { длина: 1 }; return [größe, größe.длина]; })()'],
])('%s has the same meaning', (_what, code) => {
  const written = inAscii(code + PADDING);
  expect(written).not.toMatch(/[^\0-\x7f]/);
  expect(read(written)).toEqual(read(code));
});

it('leaves what would not mean the same, or would be larger', () => {
  const raw = `String.raw\`é\`${PADDING}`;
  expect(inAscii(raw)).toBe(raw);
  const chinese = '["你好，世界"]';
  expect(inAscii(chinese)).toBe(chinese);
});

it('what every command loads is ASCII', () => {
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  expect(readFileSync(join(dist, 'cli.js'), 'utf8')).not.toMatch(/[^\0-\x7f]/);
});
