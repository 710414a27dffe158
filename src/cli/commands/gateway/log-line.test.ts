import colors from 'picocolors';
import { expect, it } from 'vitest';
import { logLine } from './log-line.ts';

const plain = colors.createColors(false);
/** The same on the wall of every time zone. */
const time = new Date(2026, 11, 1, 10, 11, 12, 345).toISOString();

it.each([
  [{ time, level: 'info', event: 'ready', message: 'port 1' }, '10:11:12 gateway    ready port 1\n'],
  [{ time, level: 'warn', channel: 'telegram', account: 'default', event: 'gone' }, '10:11:12 telegram   gone\n'],
  [
    { time, level: 'info', channel: 'feishu', account: 'work', event: 'x', chatId: 'c' },
    '10:11:12 feishu/work x {"chatId":"c"}\n',
  ],
  [{ time, event: 'x', message: '\x1b[2Jgone' }, '10:11:12 gateway    x \\x1b[2Jgone\n'],
  [{ time, level: 'info', event: 'note', message: 'the mailbox is full' }, '10:11:12 gateway    the mailbox is full\n'],
  [
    { time, level: 'error', event: 'crashed', message: 'one\ntwo' },
    '10:11:12 gateway    crashed one\n                    two\n',
  ],
  [{ time: 'gone', event: 'x' }, '--:--:-- gateway    x\n'],
])('%j is read as %j', (entry, line) => {
  expect(logLine(JSON.stringify(entry), plain)).toBe(line);
});

it('what is not an entry is shown as it is, harmlessly', () => {
  expect(logLine('Segmentation \x1b]0;fault', plain)).toBe('Segmentation \\x1b]0;fault\n');
});
