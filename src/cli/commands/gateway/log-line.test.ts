import colors from 'picocolors';
import { expect, it } from 'vitest';
import { logLine } from './log-line.ts';

const plain = colors.createColors(false);

it.each([
  [
    { time: '2026-12-01T10:11:12.345Z', level: 'info', event: 'ready', message: 'port 1' },
    '10:11:12 gateway    ready port 1\n',
  ],
  [
    { time: '2026-12-01T10:11:12.345Z', level: 'warn', channel: 'telegram', account: 'default', event: 'gone' },
    '10:11:12 telegram   gone\n',
  ],
  [
    { time: '2026-12-01T10:11:12.345Z', level: 'info', channel: 'feishu', account: 'work', event: 'x', chatId: 'c' },
    '10:11:12 feishu/work x {"chatId":"c"}\n',
  ],
  [{ time: '2026-12-01T10:11:12.345Z', event: 'x', message: '\x1b[2Jgone' }, '10:11:12 gateway    x \\x1b[2Jgone\n'],
])('%j is read as %j', (entry, line) => {
  expect(logLine(JSON.stringify(entry), plain)).toBe(line);
});

it('what is no entry is shown as it is, harmlessly', () => {
  expect(logLine('Segmentation \x1b]0;fault', plain)).toBe('Segmentation \\x1b]0;fault\n');
});
