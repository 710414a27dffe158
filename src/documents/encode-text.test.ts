import { expect, it } from 'vitest';
import { processorTime } from '../../test/support/processor-time.ts';
import { encodeText } from './encode-text.ts';

it.each([
  ['windows-1251', 'Привет, мир № 5\n'],
  ['koi8-r', 'Привет, мир\n'],
  ['ibm866', 'Привет, мир\n'],
  ['windows-1252', 'déjà vu – 5 €\n'],
  ['gb18030', '你好，世界 ok\n'],
  ['gb18030', '• 한 \u0100 🌍 \u{20000}\n'],
  ['big5', '你好，世界 ok\n'],
  ['utf-8', 'Привет 你好 🌍\n'],
] as const)('a text in %s reads the same again', (charset, text) => {
  const bytes = encodeText(text, charset);
  expect(new TextDecoder(charset).decode(bytes)).toBe(text);
});

it('a character that the charset lacks is not replaced by another', () => {
  expect(encodeText('你好', 'windows-1251')).toBeUndefined();
  expect(encodeText('🌍', 'big5')).toBeUndefined();
});

it('a text as long as the largest file that can be patched holds up nobody for long', () => {
  const text = 'Привет, мир.\n'.repeat(64 * 80_000);
  const started = processorTime();
  expect(encodeText(text, 'windows-1251')).toHaveLength(text.length);
  expect(processorTime() - started).toBeLessThan(2_500);
});
