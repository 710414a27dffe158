// Tools, questions and commands in `lainclaw chat`, through the built binary on a real terminal.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply, ReplyToolCall } from '../fakes/model-server/reply.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { CTRL_O, ESCAPE, leave, openChat } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const KEYS = '[y] once';
const WRITE: ReplyToolCall = { name: 'file_write', args: { path: 'made.txt', content: 'one\ntwo\n' } };

/** Calls the tools first, then says so. */
const calling =
  (...toolCalls: ReplyToolCall[]) =>
  ({ messages }: NeutralRequest): Reply =>
    messages.at(-1)?.role === 'tool' ? { text: 'All done.' } : { text: 'Let me.', toolCalls };

describe.concurrent('a tool that needs permission', () => {
  it('shows exactly what would happen, and runs after y', async () => {
    const opened = await openChat(calling(WRITE));
    const { chat, say, home } = opened;
    await say('write it');
    await chat.shows(KEYS);
    expect(await chat.screen()).toMatch(/\? .*made\.txt[\s\S]*one\n {2}\+?two[\s\S]*Waiting for your answer/);
    expect(existsSync(join(home.workspace, 'made.txt'))).toBe(false);
    await chat.type('y');
    await chat.shows('All done.');
    expect(await chat.screen()).toMatch(/→ allowed once\n\n✓ file_write made\.txt .*ms/);
    expect(readFileSync(join(home.workspace, 'made.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await leave(opened)).toBe(0);
  });

  it.each([
    ['n', 'n'],
    ['Escape', ESCAPE],
    ['Enter', '\r'],
  ])('does not run after %s, and the turn continues', async (_name, key) => {
    const opened = await openChat(calling(WRITE));
    const { chat, say, home } = opened;
    await say('write it');
    await chat.shows(KEYS);
    await chat.type(key);
    await chat.shows('All done.');
    expect(await chat.screen()).toMatch(/→ not allowed\n\n✗ file_write made\.txt .*not approved/);
    expect(existsSync(join(home.workspace, 'made.txt'))).toBe(false);
    expect(await leave(opened)).toBe(0);
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('is asked about once a session after s', async () => {
    const bash = { name: 'bash', args: { command: 'touch a.txt' } };
    const opened = await openChat(calling(bash));
    const { chat, say, home } = opened;
    await say('one');
    await chat.shows('[s] this session');
    await chat.type('s');
    await chat.shows('24 in, 14 out');
    await say('two');
    await chat.shows('48 in, 28 out');
    await say('/new');
    await chat.shows('A new conversation.');
    await say('three');
    await chat.shows(KEYS);
    await chat.type('n');
    await chat.shows('72 in, 42 out');
    expect(existsSync(join(home.workspace, 'a.txt'))).toBe(true);
    expect(await leave(opened)).toBe(0);
  });

  it('is given up with the turn on Ctrl-C, and nothing has run', async () => {
    const opened = await openChat(calling(WRITE));
    const { chat, say, home } = opened;
    await say('write it');
    await chat.shows(KEYS);
    await chat.type('\x03');
    await chat.shows('⏹ cancelled');
    await chat.hides(KEYS);
    expect(existsSync(join(home.workspace, 'made.txt'))).toBe(false);
    expect(await leave(opened)).toBe(0);
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('cannot be answered by what is typed before the question is read', async () => {
    const go = Promise.withResolvers<void>();
    const opened = await openChat(async (request) => {
      if (request.messages.at(-1)?.role !== 'tool') await go.promise;
      return calling(WRITE)(request);
    });
    const { chat, say, home } = opened;
    await say('write it');
    await chat.shows('Thinking');
    const typing = { isOver: false };
    const typist = (async () => {
      while (!typing.isOver) {
        await chat.type('y');
        await chat.shows('y');
      }
    })();
    go.resolve();
    await chat.shows('a question waits');
    typing.isOver = true;
    await typist;
    await chat.shows(KEYS);
    expect(existsSync(join(home.workspace, 'made.txt'))).toBe(false);
    await chat.type('n');
    await chat.shows('All done.');
    expect(await chat.screen()).toMatch(/─\n(?: y+\s*\n)+─/);
    await chat.type('\x03');
    expect(await leave(opened)).toBe(0);
  });
});

describe.concurrent('tool cards', () => {
  it('show the end of what a command prints, and everything when they are unfolded', async () => {
    const command = 'for i in 1 2 3 4 5 6 7 8 9; do echo "out $i"; done';
    const opened = await openChat(calling({ name: 'bash', args: { command } }), ['--approve', 'auto']);
    const { chat, say } = opened;
    await say('count');
    await chat.shows('All done.');
    expect(await chat.screen()).toMatch(/✓ bash for i in .* ms\n {2}out 7\n {2}out 8\n {2}out 9\n/);
    expect(await chat.screen()).not.toContain('out 1');
    await chat.type(CTRL_O);
    await chat.shows('out 1');
    expect(await leave(opened)).toBe(0);
  });

  it('tool:name calls one by hand', async () => {
    const opened = await openChat([]);
    const { chat, say } = opened;
    await say('tool:tools.echo {"a":"中文"}');
    await chat.shows('✓ tools.echo');
    await chat.shows('"a":"中文"');
    expect(await leave(opened)).toBe(0);
  });
});

describe.concurrent('commands', () => {
  it('are completed, explained and corrected', async () => {
    const opened = await openChat([]);
    const { chat, say } = opened;
    await chat.type('/sess');
    await chat.shows('the conversations there are');
    await chat.type(ESCAPE);
    await chat.hides('the conversations there are');
    await chat.type('\x03');
    await chat.hides('/sess');
    await say('/halp');
    await chat.shows('did you mean /help?');
    await say('/help');
    await chat.shows('unfold the tool cards');
    expect(await chat.everything()).toContain('/model [name|provider/name|default]: which model answers here');
    expect(await leave(opened)).toBe(0);
  });

  it('/new begins another conversation under the key', async () => {
    const opened = await openChat([{ text: 'first answer' }, { text: 'second answer' }]);
    const { chat, say, home, asked } = opened;
    await say('one');
    await chat.shows('12 in, 7 out');
    const before = home.entry().sessionId;
    await say('/new');
    await chat.shows('A new conversation.');
    await say('two');
    await chat.shows('24 in, 14 out');
    expect(home.entry().sessionId).not.toBe(before);
    expect(JSON.stringify(asked[1])).not.toContain('first answer');
    expect(await leave(opened)).toBe(0);
  });

  it('/model, /models, /memory and /status tell and change how turns are asked', async () => {
    const opened = await openChat([{ text: 'Good day.' }], [], { models: ['fake', 'other-model'] });
    const { chat, say, server, home } = opened;
    await say('/models');
    await chat.shows('- other-model');
    await say('/model');
    await chat.shows('Model: fake (openai-compatible)');
    await say('/model other-model');
    await chat.shows('openai-compatible/other-model · main');
    await say('/memory on');
    await chat.shows('Memory is on');
    await say('/status');
    await chat.shows('Model: other-model (openai-compatible)');
    await say('hello');
    await chat.shows('12 in, 7 out');
    expect(server.requests.at(-1)?.body).toMatchObject({ model: 'other-model' });
    expect(server.violations).toEqual([]);
    expect(home.entry().memoryEnabled).toBe(true);
    expect(await leave(opened)).toBe(0);
  });

  it('/session goes to another conversation and shows its end; /sessions lists them', async () => {
    const opened = await openChat(({ messages }) => ({
      text: `heard ${JSON.stringify(messages.at(-1)).slice(0, 200)}`,
    }));
    const { chat, say, home } = opened;
    await say('in main');
    await chat.shows('heard');
    await say('/session work');
    await chat.shows('work is a new conversation.');
    await say('in work');
    await chat.shows('24 in, 14 out');
    await say('/sessions');
    await chat.shows(/work .*\(this one\)/);
    await say('/session main');
    await chat.shows('Resuming; recent messages');
    expect(await leave(opened)).toBe(0);
    expect(home.messages('work').map(({ content }) => content)[0]).toBe('in work');
    expect(await chat.everything()).toMatch(/continue with: lainclaw chat --session main\n/);
  });

  it('/undo asks first, and takes back what the last turn changed', async () => {
    const opened = await openChat(calling(WRITE), ['--approve', 'auto']);
    const { chat, say, home } = opened;
    const made = join(home.workspace, 'made.txt');
    await say('write it');
    await chat.shows('All done.');
    expect(existsSync(made)).toBe(true);
    await say('/undo');
    await chat.shows('? Take back the last changes to these files?');
    await chat.shows('[y] yes');
    await chat.type('n');
    await chat.shows('Nothing was taken back.');
    expect(existsSync(made)).toBe(true);
    await say('/undo');
    await chat.shows('[y] yes');
    await chat.type('y');
    await chat.shows('Taken back:');
    expect(existsSync(made)).toBe(false);
    expect(await leave(opened)).toBe(0);
  });

  it('/tools lists what the model can call, and /exit leaves', async () => {
    const opened = await openChat([], ['--tool-allow', 'time.now,bash']);
    const { chat, say } = opened;
    await say('/tools');
    await chat.shows('bash (asks first)');
    await say('/exit');
    expect((await chat.ended).code).toBe(0);
  });
});

describe('a server that asks for input', () => {
  it('is answered in the chat', async () => {
    const home = testHome();
    const require = createRequire(import.meta.url);
    const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
    await lainclaw(['mcp', 'add', 'everything', '--', process.execPath, everything, 'stdio'], { home });
    const opened = await openChat([], [], { home, rows: 40 });
    const { chat, say } = opened;
    await say('tool:mcp__everything__trigger-elicitation-request');
    await chat.shows(KEYS);
    await chat.type('y');
    await chat.shows('[f] fill in');
    expect(await chat.screen()).toContain('? The server "everything" asks for input');
    await chat.type('f\r');
    await chat.shows(/^ {2}name\n› /m);
    await chat.type('Ann\r');
    await chat.shows(/^ {2}check\n› /m);
    await chat.type('maybe\r');
    await chat.shows('accepted: yes or no');
    await chat.shows(/^ {2}check\n› /m);
    await chat.type('\x04');
    await chat.shows('→ not sent');
    await chat.shows('✓ mcp__everything');
    expect(await leave(opened)).toBe(0);
  });

  it('a question of the model takes a number or words, and an empty answer leaves it open', async () => {
    const opened = await openChat([], [], { rows: 40 });
    const { chat, say } = opened;
    const ask = 'tool:ask_user {"question":"Which colour?","choices":["red","blue"]}';
    await say(ask);
    await chat.shows('number, or your own words');
    expect(await chat.screen()).toMatch(/\? Which colour\?\n {2}1\. red\n {2}2\. blue/);
    await chat.type('2\r');
    await chat.shows('→ blue');
    await say(ask);
    await chat.shows('number, or your own words');
    await chat.type('\r');
    await chat.shows('→ no answer');
    expect(await leave(opened)).toBe(0);
  });

  it('a plan is shown as a checklist', async () => {
    const opened = await openChat([], [], { rows: 40 });
    const items = [
      { text: 'find it', status: 'completed' },
      { text: 'fix it', status: 'in_progress' },
    ];
    await opened.say(`tool:todo ${JSON.stringify({ items })}`);
    await opened.chat.shows(/☑ find it\n +▸ fix it/);
    expect(await leave(opened)).toBe(0);
  });
});
