// Conversations per project, at the terminal.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChat } from '../support/chat-terminal.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { CTRL_D, ENTER, ESCAPE, leave, openChat } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';

const DOWN = '\x1b[B';
const said = (home: ReturnType<typeof testHome>, key: string) =>
  home.messages(key).flatMap(({ role, content }) => (role === 'user' ? [content] : []));

describe('lainclaw chat after a kill', () => {
  it.each([
    [
      'in the middle of a command',
      'echo ran >> log.txt; sleep 60',
      ['--mode', 'auto'],
      'was running: the outcome is unknown',
    ],
    ['while it asks', 'touch made', [], 'nothing had been changed'],
  ])('%s says so when the conversation is opened again', async (_when, command, flags, told) => {
    const killed = await openChat([{ toolCalls: [{ name: 'bash', args: { command } }] }, { text: 'Noted.' }], flags);
    await killed.say('do it');
    await killed.chat.shows(flags.length > 0 ? 'Running bash' : '[y] once');
    if (flags.length > 0) await eventually(() => expect(existsSync(join(killed.home.workspace, 'log.txt'))).toBe(true));
    killed.chat.signal('SIGKILL');
    await killed.chat.ended;
    const { home, env, flags: model } = killed;
    const again = startChat([...model, '--session', 'main'], { home, env: { NO_COLOR: '1', ...env } });
    await again.shows('I was interrupted');
    expect((await again.everything()).replaceAll(/\s+/g, ' ')).toContain(told);
    await again.type(`go on${ENTER}`);
    await again.shows('Noted.');
    await again.type(CTRL_D);
    await again.ended;
    const third = startChat([...model, '--session', 'main'], { home, env: { NO_COLOR: '1', ...env } });
    await third.shows('Noted.');
    await third.shows('Ctrl+D leaves');
    expect(await third.everything()).not.toContain('I was interrupted');
    await third.type(CTRL_D);
    await third.ended;
  });
});

describe('lainclaw chat in a folder', () => {
  it('begins a conversation named after it, and continues that one', async () => {
    const home = testHome();
    const payments = join(home.base, 'payments');
    mkdirSync(payments);
    const first = await openChat([{ text: 'Noted.' }], ['--continue'], { home, cwd: payments });
    expect(await first.chat.screen()).toContain('session payments in');
    await first.say('the fee is 3 percent');
    await first.chat.shows('Noted.');
    expect(await leave(first)).toBe(0);
    expect(home.entry('payments')).toMatchObject({ title: 'the fee is 3 percent', workspace: payments });

    await lainclaw(['ask', 'in main'], { home, cwd: payments });
    const again = startChat(first.flags, { home, cwd: payments, env: { NO_COLOR: '1', ...first.env } });
    await again.shows('Noted.');
    await again.type(CTRL_D);
    expect((await again.ended).stdout).toContain('continue with: lainclaw chat --session payments');
    expect(said(home, 'main')).toEqual(['in main']);
  });

  it('keeps folders of the same name apart, and --new-session begins another one', async () => {
    const home = testHome();
    for (const folder of ['a/shop', 'b/shop']) mkdirSync(join(home.base, folder), { recursive: true });
    const opened = await openChat([{ text: 'One.' }], ['--continue'], { home, cwd: join(home.base, 'a/shop') });
    await opened.say('in the first');
    await opened.chat.shows('One.');
    await leave(opened);
    const env = { NO_COLOR: '1', ...opened.env };
    for (const [cwd, flags] of [
      [join(home.base, 'b/shop'), []],
      [join(home.base, 'a/shop'), ['--new-session']],
    ] as const) {
      const chat = startChat([...opened.flags, ...flags], { home, cwd, env });
      await chat.shows('session shop-2 in');
      await chat.type(CTRL_D);
      await chat.ended;
    }
  });

  it('refuses flags that contradict each other', async () => {
    const home = testHome();
    const chat = startChat(['--resume', '--session', 'x'], { home });
    const { code, stdout } = await chat.ended;
    expect([code, stdout]).toEqual([2, expect.stringContaining('--resume and --session exclude each other')]);
    expect(home.exists()).toBe(false);
  });
});

describe('titles', () => {
  it('are written by the model after the first turn, counted, and never in place of one that a person gave', async () => {
    const opened = await openChat([{ text: 'Noted.' }, { text: 'Again.' }], [], { title: '"Fees of the shop."\nmore' });
    const { chat, say, home } = opened;
    await say('the fee is 3 percent, and we should check why that is so');
    await chat.shows('24 in, 14 out');
    await eventually(() => expect(home.entry('main')).toMatchObject({ title: 'Fees of the shop' }));
    await say('/rename My own title');
    await chat.shows('is now “My own title”');
    await say('and now?');
    await chat.shows('Again.');
    expect(await leave(opened)).toBe(0);
    expect(home.entry('main')).toMatchObject({ title: 'My own title' });
    expect(opened.server.lookups.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('are the first words when the owner wants no other', async () => {
    const home = testHome();
    home.config({ modelTitles: false });
    const opened = await openChat([{ text: 'Noted.' }], [], { home, title: 'Fees' });
    await opened.say('the fee is 3 percent');
    await opened.chat.shows('Noted.');
    await opened.chat.hides('Esc cancels');
    expect(await leave(opened)).toBe(0);
    expect(home.entry('main')).toMatchObject({ title: 'the fee is 3 percent' });
    expect(opened.server.lookups.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('resuming', () => {
  it('offers the conversations of the project first; Enter takes one, Esc leaves', async () => {
    const home = testHome();
    const other = join(home.base, 'other');
    mkdirSync(other);
    await lainclaw(['ask', '--session', 'tea', 'which tea is green?'], { home });
    await lainclaw(['ask', '--session', 'far', 'something far away'], { home, cwd: other });
    await lainclaw(['sessions', 'rename', 'tea', 'All about tea'], { home });
    const chat = startChat(['--provider', 'stub', '--resume'], { home, env: { NO_COLOR: '1' }, columns: 120 });
    await chat.shows(/→ All about tea .*tea · which tea is green\?[\s\S]*something far away .*far · in other/);
    await chat.type(DOWN);
    await chat.type(ENTER);
    await chat.shows('session far in');
    await chat.type(CTRL_D);
    expect((await chat.ended).code).toBe(0);

    const cancelled = startChat(['--provider', 'stub', '--resume'], { home, env: { NO_COLOR: '1' } });
    await cancelled.shows('Which conversation?');
    await cancelled.type(ESCAPE);
    expect((await cancelled.ended).code).toBe(130);
  });

  it('/resume, /rename, /fork and /sessions work in the chat', async () => {
    const home = testHome();
    await lainclaw(['ask', '--session', 'tea', 'which tea is green?'], { home });
    const opened = await openChat([{ text: 'An answer.' }], [], { home, columns: 120, rows: 50 });
    const { chat, say } = opened;
    await say('a question');
    await chat.shows('An answer.');
    await say('/rename Plans for May');
    await chat.shows('This conversation is now “Plans for May”.');
    await say('/fork plan-b');
    await chat.shows('This is plan-b, a copy of main.');
    await say('/sessions');
    await chat.shows(/main .*: Plans for May/);
    await say('/resume');
    await chat.shows('Which conversation?');
    await chat.type(ESCAPE);
    await chat.shows('Still in plan-b.');
    await say('/resume');
    await chat.shows(/→ Plans for May/);
    await chat.type(ENTER);
    await chat.shows('› a question');
    expect(await leave(opened)).toBe(0);
    expect(said(home, 'plan-b')).toEqual(['a question']);
  });
});

it('/rewind goes back to an earlier turn and restores the files', async () => {
  const home = testHome();
  const file = join(home.workspace, 'note.txt');
  const write = (content: string) => `tool:file_write ${JSON.stringify({ path: 'note.txt', content })}`;
  const opened = await openChat([], ['--approve', 'auto'], { home, rows: 50, columns: 120 });
  const { chat, say } = opened;
  for (const content of ['one', 'two', 'three']) {
    await say(write(content));
    await chat.shows(new RegExp(`file_write: .*${content.length} bytes[\\s\\S]*`));
    await chat.hides('Esc cancels');
    await eventually(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(content));
  }
  const before = home.entry('main').sessionId;
  await say('/rewind');
  await chat.shows('Back to which turn?');
  await chat.type(DOWN);
  await chat.type(ENTER);
  await chat.shows('Restore the files');
  await chat.type(ENTER);
  await chat.shows(/Restored: note.txt/);
  expect(readFileSync(file, 'utf8')).toBe('one');
  expect(said(home, 'main')).toEqual([write('one')]);
  expect(home.transcripts()).toContain(`${before}.jsonl`);
  await say('/undo');
  await chat.shows('[y] yes');
  await chat.type('y');
  await chat.shows('deleted: note.txt');
  expect(existsSync(file)).toBe(false);
  expect(await leave(opened)).toBe(0);
});

describe('/init', () => {
  it('has the model write AGENTS.md, with approval', async () => {
    const call = { name: 'file_write', args: { path: 'AGENTS.md', content: '# Project\n' } };
    const opened = await openChat([{ toolCalls: [call] }, { text: 'Written.' }]);
    const { chat, say, home } = opened;
    await say('/init');
    await chat.shows('[y]');
    await chat.type('y');
    await chat.shows('Written.');
    expect(readFileSync(join(home.workspace, 'AGENTS.md'), 'utf8')).toBe('# Project\n');
    expect(await leave(opened)).toBe(0);
  });

  it('says to connect a model first where there is none', async () => {
    const home = testHome();
    const chat = startChat(['--provider', 'stub'], { home, env: { NO_COLOR: '1' } });
    await chat.shows(/leaves\n/);
    await chat.type('/init');
    await chat.type(ENTER);
    await chat.shows('connect one first');
    await chat.type(CTRL_D);
    expect((await chat.ended).code).toBe(0);
  });
});
