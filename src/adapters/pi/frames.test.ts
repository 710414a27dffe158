import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrames, dataOf } from './frames.ts';

test('frames are the same, however the stream is cut into pieces', () => {
  const line = fc.constantFrom('data: {"a":1}', 'event: x', ': note', 'data: ü🌧', 'data:');
  const frame = fc.array(line, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 9 }),
      (given, end, size) => {
        const text = given.map((lines) => lines.join(end) + end + end).join('');
        const frames = createFrames();
        const found: string[] = [];
        for (let at = 0; at < text.length; at += size) found.push(...frames.push(text.slice(at, at + size)));
        expect(found).toEqual(given.map((lines) => lines.join('\n')));
        expect(frames.rest()).toBe('');
      },
    ),
  );
});

test('half a frame stays behind', () => {
  const frames = createFrames();
  expect(frames.push('data: a\n\n\n\ndata: b\n\n\ndata: c\n')).toEqual(['data: a', 'data: b']);
  expect(frames.rest()).toBe('data: c');
});

test('data is taken from its lines', () => {
  expect(dataOf('event: x\ndata: {"a":\ndata: 1}')).toBe('{"a":\n1}');
  expect(dataOf('data:')).toBe('');
  expect(dataOf(': comment')).toBeUndefined();
});
