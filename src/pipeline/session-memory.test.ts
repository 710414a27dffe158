import { expect, it } from 'vitest';
import { readSessionMemory, type SeenMessages } from './session-memory.ts';

const HEAD = '# Memory of session main\n';
const summary = (from: number, text: string, { owner = 's1', marks = '<!-- end -->\n' } = {}): string =>
  `\n## 2026-11-15\n<!-- messages ${from}-${from + 9} of ${owner} -->\n\n${text}\n${marks}`;

const read = (file: string | undefined, seen?: SeenMessages) =>
  readSessionMemory({ read: async () => file }, 'main', seen);

it('has nothing of a session without a file, or with an empty one', async () => {
  expect(await read(undefined)).toEqual({ written: '', summaries: [] });
  expect(await read(HEAD)).toEqual({ written: '', summaries: [] });
});

it('gives what a person wrote, wherever it is, apart from the summaries', async () => {
  const { written, summaries } = await read(
    `${HEAD}\nMetric units, please.\n${summary(1, '- otters swim')}\nNo jargon.\n${summary(11, '- foxes run')}`,
  );
  expect(written).toContain('Metric units, please.');
  expect(written).toContain('No jargon.');
  expect(written).not.toContain('otters');
  expect(written).not.toContain('<!--');
  expect(summaries.map(({ text }) => text)).toEqual(['## 2026-11-15\n\n- otters swim', '## 2026-11-15\n\n- foxes run']);
});

it('knows which summaries hold content from outside', async () => {
  const marks = '<!-- outside -->\n<!-- end -->\n';
  const { summaries } = await read(`${HEAD}${summary(1, '- mine')}${summary(11, '- a page', { marks })}`);
  expect(summaries.map(({ tainted }) => tainted)).toEqual([false, true]);
});

it('leaves out summaries of messages that the model sees anyway, of this conversation only', async () => {
  const file = `${HEAD}${summary(1, '- old')}${summary(11, '- new')}${summary(11, '- another', { owner: 's2' })}`;
  const { summaries } = await read(file, { sessionId: 's1', fromMessage: 11 });
  expect(summaries.map(({ text }) => text.split('\n').at(-1))).toEqual(['- old', '- another']);
});

it('reads summaries that an earlier version wrote without an end', async () => {
  const { written, summaries } = await read(`${HEAD}${summary(1, '- old', { marks: '' })}${summary(11, '- new')}`);
  expect(summaries).toHaveLength(2);
  expect(written).toBe('');
});

it('gives the end of a long text that a person wrote', async () => {
  const { written } = await read(`${HEAD}\n${'word '.repeat(2_000)}the last one`);
  expect(written.length).toBeLessThan(2_200);
  expect(written.endsWith('the last one')).toBe(true);
});
