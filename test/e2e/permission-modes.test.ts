// The modes of permission: chosen by key, by command and by flag; a plan that a person approves.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { modelFor } from '../support/model-providers.ts';
import { leave, openChat } from '../support/open-chat.ts';

const SHIFT_TAB = '\x1b[Z';
const EARLY = { name: 'file_write', args: { path: 'early.txt', content: 'x' } };
const PLAN = { name: 'plan_ready', args: { plan: '1. write made.txt' } };
const WRITE = { name: 'file_write', args: { path: 'made.txt', content: 'x' } };

/** Tries to write, hands in the plan, and carries it out. */
const planning = ({ messages }: NeutralRequest): Reply => {
  const results = messages.filter(({ role }) => role === 'tool').length;
  const call = [EARLY, PLAN, WRITE][results];
  return call ? { toolCalls: [call] } : { text: 'Carried out.' };
};

describe.concurrent('in the chat', () => {
  it('Shift+Tab goes through the modes, and an approved plan continues in the mode that is chosen', async () => {
    const opened = await openChat(planning);
    const { chat, say, home } = opened;
    await chat.shows('ask · ');
    await chat.type(SHIFT_TAB);
    await chat.shows('accept-edits · ');
    await chat.type(SHIFT_TAB);
    await chat.shows('plan · ');
    await say('make it');
    await chat.shows(/Continue with this plan\?[\s\S]*1\. write made\.txt[\s\S]*\[s\] yes, accept edits/);
    expect(existsSync(join(home.workspace, 'early.txt'))).toBe(false);
    await chat.type('s');
    await chat.shows('Carried out.');
    await chat.shows('accept-edits · ');
    expect(await chat.everything()).toContain('→ yes, accept edits');
    expect(existsSync(join(home.workspace, 'made.txt'))).toBe(true);
    expect(await leave(opened)).toBe(0);
  });

  it('/mode names one, and says which there are', async () => {
    const opened = await openChat(planning);
    const { chat, say } = opened;
    await say('/mode auto');
    await chat.shows('auto · ');
    await say('/mode');
    await chat.shows('auto (now)');
    await say('/mode fast');
    await chat.shows('is not accepted');
    expect(await leave(opened)).toBe(0);
  });
});

describe.concurrent('where nobody can be asked', () => {
  it('plan mode changes nothing, and the plan becomes the answer', async () => {
    const { ask, home } = await modelFor('openai-compatible', [
      { toolCalls: [EARLY] },
      { toolCalls: [PLAN] },
      { text: '1. write made.txt' },
    ]);
    const { json } = await ask('make it', '--mode', 'plan', '--tool-max-steps', '5');
    const { result, toolResults } = json();
    expect(result).toBe('1. write made.txt');
    expect(toolResults.map((each) => (each.result.ok ? 'ok' : each.result.error.message))).toEqual([
      expect.stringContaining('plan mode only reads'),
      expect.stringContaining('give it as your answer'),
    ]);
    expect(existsSync(join(home.workspace, 'early.txt'))).toBe(false);
  });

  it('accept-edits writes ordinary files and asks about the rest', async () => {
    const { ask, home } = await modelFor('openai-compatible', [
      { toolCalls: [WRITE, { name: 'bash', args: { command: 'touch run' } }] },
      { text: 'Done.' },
    ]);
    const { toolResults } = (await ask('make it', '--mode', 'accept-edits')).json();
    expect(toolResults.map(({ result }) => result.ok)).toEqual([true, false]);
    expect([existsSync(join(home.workspace, 'made.txt')), existsSync(join(home.workspace, 'run'))]).toEqual([
      true,
      false,
    ]);
  });

  it('a tool that ends planning exists in plan mode only', async () => {
    const { ask, asked } = await modelFor('openai-compatible', [{ text: 'a' }, { text: 'b' }]);
    await ask('one');
    await ask('two', '--mode', 'plan');
    expect(asked.map(({ tools }) => tools.some(({ name }) => name === 'plan_ready'))).toEqual([false, true]);
  });
});
