// Sub-agents of a chat, in the gateway as a process: where their results go.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { runningGateway } from '../support/gateway-service.ts';

it('the result of a sub-agent goes to the chat it was started from, and to no chat that may not be written to', async () => {
  const { home } = await runningGateway('--pairing-allow-from=anna');
  const folder = join(home.path, 'channels', 'local');
  mkdirSync(folder, { recursive: true });
  const write = (id: string, text: string): void =>
    appendFileSync(join(folder, 'inbox.jsonl'), `${JSON.stringify({ id, chatId: 'anna', senderId: 'anna', text })}\n`);
  const sent = (): { chatId: string; markdown: string }[] =>
    readFileSync(join(folder, 'outbox.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const log = (): string => readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8');
  write('m1', 'tool:subagent_spawn {"name":"spy","message":"tell","injectInto":"local:mallory"}');
  await eventually(() => expect(log()).toContain('local:mallory may not be written to'));
  write('m2', 'tool:subagent_spawn {"name":"helper","message":"tell"}');
  await eventually(() =>
    expect(sent().map(({ markdown }) => markdown)).toContainEqual(expect.stringMatching(/^\*\*helper/)),
  );
  expect(sent().filter(({ chatId }) => chatId !== 'anna')).toEqual([]);
});
