import { expect, it } from 'vitest';
import { decide } from '../permissions/decide.ts';
import { parseRules } from '../permissions/permissions-file.ts';
import type { ToolContext } from '../tool.ts';
import { createValidate } from '../validate.ts';
import { createSendMessageTool, type SentOutcome } from './send-message.ts';

const ARGS = { channel: 'telegram', chatId: '42', text: 'hello' };
const context = { signal: new AbortController().signal } as ToolContext;
const toolWith = (outcome: SentOutcome, sent: unknown[] = []) =>
  createSendMessageTool({
    send: async (chat, text) => {
      sent.push([chat, text]);
      return outcome;
    },
  });

it('hands the text to the chat and tells that it is queued', async () => {
  const sent: unknown[] = [];
  const output = await toolWith({ ok: true, account: 'work' }, sent).execute(ARGS, context);
  expect(sent).toEqual([[{ channel: 'telegram', chatId: '42' }, 'hello']]);
  expect(output.data).toEqual({ queued: true, channel: 'telegram', chatId: '42', account: 'work' });
});

it('a chat that is not listed is a denial, a gateway that does not run is a plain failure; both say what to do', async () => {
  const denied = toolWith({ ok: false, isDenied: true, message: 'add it to sendAllow' }).execute(ARGS, context);
  await expect(denied).rejects.toMatchObject({ name: 'ToolFailure', reason: 'denied', message: 'add it to sendAllow' });
  const stopped = toolWith({ ok: false, isDenied: false, message: 'start it' }).execute(ARGS, context);
  await expect(stopped).rejects.toMatchObject({ name: 'ToolFailure', reason: undefined, message: 'start it' });
});

it.each([
  [{ ...ARGS, channel: 'irc' }, /channel/],
  [{ ...ARGS, chatId: '' }, /chatId/],
  [{ channel: 'local', chatId: '1' }, /text/],
  [{ ...ARGS, account: 'x' }, /account/],
])('%j is not accepted', async (args, problem) => {
  const tool = toolWith({ ok: true, account: 'default' });
  expect(await createValidate()(tool, args)).toMatch(problem);
});

it('a tainted turn cannot send without a person, whatever the rules allow; another turn can', () => {
  const spec = toolWith({ ok: true, account: 'default' });
  const parsed = parseRules(JSON.stringify({ version: 1, allow: ['send_message'] }), [spec]);
  if (!parsed.ok) return expect.unreachable();
  const verdict = (tainted: boolean) =>
    decide({
      spec,
      call: { id: 'c', name: 'send_message', args: ARGS, source: 'model' },
      rules: parsed.rules,
      remembered: [],
      mode: 'ask',
      taint: tainted ? ['mcp:x'] : [],
      isContained: false,
      context: { workspaceRoot: '/w', directory: '/w', userHome: '/home/u', lainclawHome: '/home/u/.lainclaw' },
    });
  expect(verdict(true)).toMatchObject({ verdict: 'ask', needsPerson: true });
  expect(verdict(false)).toMatchObject({ verdict: 'allow' });
});
