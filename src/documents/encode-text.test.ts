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

it('of two sequences that mean one character, the one is written that other programs write and that the text had before', () => {
  expect(encodeText('十卅═', 'big5')?.toString('hex')).toBe('a451a4caf9f9');
  expect(encodeText('十卅═', 'big5', Buffer.from('a2cc41a2a4', 'hex'))?.toString('hex')).toBe('a2cca4caa2a4');
  expect(encodeText('5 €', 'gb18030')?.toString('hex')).toBe('3520a2e3');
  expect(encodeText('5 €', 'gb18030', Buffer.from('8136a63180', 'hex'))?.toString('hex')).toBe('352080');
  // Inside of a character these bytes mean nothing.
  expect(encodeText('€', 'gb18030', Buffer.from('818081', 'hex'))?.toString('hex')).toBe('a2e3');
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
