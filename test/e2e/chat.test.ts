// `lainclaw chat` as a person uses it: the built binary on a real terminal, against the fake model server.
import { describe, expect, it } from 'vitest';
import type { Reply } from '../fakes/model-server/reply.ts';
import { startChat } from '../support/chat-terminal.ts';
import { eventually } from '../support/eventually.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { bytesBefore } from '../support/model-providers.ts';
import { CTRL_C, CTRL_D, CTRL_O, contents, ENTER, ESCAPE, leave, openChat, READY } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

/** A reply whose beginning alone the model sends: the turn lasts until it is cancelled. */
function unfinished(reply: Reply, from: string): Reply {
  return { ...reply, fault: { kind: 'hang', afterBytes: bytesBefore(from, 'openai-compatible', reply) } };
}

/** Something that goes wrong inside the program when it gets SIGUSR2. */
function onSignal(code: string): Record<string, string> {
  const module = `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2',()=>{${code}})`)}`;
  return { NODE_OPTIONS: `--import=${module}` };
}

describe.concurrent('a chat', () => {
  it('shows where one is, streams Markdown, counts tokens, and leaves with 0', async () => {
    const opened = await openChat([
      { text: ['# Title\n\n', 'Some **bold** ', 'words.'], usage: { input: 1_500, output: 20 } },
    ]);
    const { chat, say } = opened;
    expect(await chat.screen()).toMatch(/Lainclaw [\d.]+ · openai-compatible\/fake\nsession main in .*workspace\n/);
    await say('hello');
    await chat.shows('1.5k in, 20 out');
    expect(await chat.screen()).toMatch(/› hello\n\nTitle\n\nSome bold words\.\n/);
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'assistant')).toEqual(['# Title\n\nSome **bold** words.']);
    expect(await chat.everything()).toContain('continue with: lainclaw chat --session main');
  });

  it('shows text before its answer ends; Escape cancels, and the turn is closed in the session', async () => {
    const opened = await openChat([
      unfinished({ text: ['The beginning ', 'and the end.'] }, 'and the end'),
      { text: 'Yes.' },
    ]);
    const { chat, say, home } = opened;
    await say('tell me');
    await chat.shows('The beginning');
    await chat.shows('Esc cancels');
    await chat.type(ESCAPE);
    await chat.shows('⏹ cancelled');
    await say('still there?');
    await chat.shows('Yes.');
    expect(await leave(opened)).toBe(0);
    expect(structureProblems(home.lines())).toEqual([]);
    expect(home.lines().flatMap((line) => (line.type === 'turn-end' ? [line.outcome] : []))).toEqual([
      'cancelled',
      'answered',
    ]);
  });

  it('sends what is typed meanwhile when the turn has ended', async () => {
    const go = Promise.withResolvers<void>();
    const opened = await openChat(async (_request, index) => {
      if (index === 0) await go.promise;
      return { text: `answer ${index + 1}` };
    });
    const { chat, say } = opened;
    await say('first');
    await chat.shows('Thinking');
    await say('second');
    await chat.shows('⏎ joins this turn: second');
    go.resolve();
    await chat.shows('answer 2');
    await chat.hides('joins this turn');
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['first', 'second']);
  });

  it('loses nothing that was typed when it is left in the middle of a turn', async () => {
    const opened = await openChat([{ text: 'x', fault: { kind: 'hang' } }]);
    const { chat, say, home } = opened;
    await say('first');
    // The turn is on record before the model is asked.
    await eventually(() => expect(opened.asked).toHaveLength(1));
    await say('second');
    await chat.shows('joins this turn: second');
    await chat.type(CTRL_D);
    expect((await chat.ended).code).toBe(0);
    expect(await chat.everything()).toContain('not sent: second');
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('gives back what waits when the turn is cancelled', async () => {
    const opened = await openChat(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('first') ? { text: 'x', fault: { kind: 'hang' } } : { text: 'ok' },
    );
    const { chat, say } = opened;
    await say('first');
    // The turn is on record before the model is asked.
    await eventually(() => expect(opened.asked).toHaveLength(1));
    await say('second');
    await chat.shows('joins this turn: second');
    await chat.type(ESCAPE);
    await chat.shows('⏹ cancelled');
    await chat.hides('joins this turn');
    await chat.type(ENTER);
    await chat.shows('ok');
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['first', 'second']);
  });

  it('takes two lines, a paste of 5,000 characters and Chinese', async () => {
    const opened = await openChat([{ text: '第一个回答' }, { text: 'second' }, { text: 'third' }]);
    const { chat, say } = opened;
    await chat.type('你好，');
    await chat.type('\n');
    await chat.type('世界');
    await say('！');
    await chat.shows('第一个回答');
    await chat.type('one\x1b\rtwo');
    await say('');
    await chat.shows('second');
    const pasted = Array.from({ length: 500 }, (_, i) => `line ${String(i).padStart(4, '0')}`).join('\n');
    expect(pasted.length).toBeGreaterThanOrEqual(4_999);
    await chat.type(`\x1b[200~${pasted}\x1b[201~`);
    await chat.shows('[paste #1');
    await say('');
    await chat.shows('third');
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['你好，\n世界！', 'one\ntwo', pasted]);
  });

  it('never lets an escape sequence of the model, or of a tool, reach the terminal', async () => {
    const evil = 'a\x1b[2Jb\x1b]0;owned\x07c &#27;[31mred&#x9b;2J \u202eback';
    const opened = await openChat([
      { text: evil, toolCalls: [{ name: 'tools_echo', args: { name: evil } }] },
      { text: `done ${evil}` },
    ]);
    const { chat, say } = opened;
    await say('go');
    await chat.shows('done');
    await chat.shows('✓ tools.echo a\\x1b[2J');
    await chat.type(CTRL_O);
    await chat.shows('"name"');
    expect(await leave(opened)).toBe(0);
    await chat.screen();
    expect(chat.title()).toBe('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(chat.raw()).not.toMatch(/\x1b\[2Jb|\x1b\]0|\x1b\[31m|\x9b|\u202e/);
    expect(await chat.everything()).toContain(READY);
  });

  it('leaves on two Ctrl-C; the first clears the input or cancels the turn', async () => {
    const opened = await openChat([{ text: 'x', fault: { kind: 'hang' } }]);
    const { chat, say, home } = opened;
    await chat.type('half a thought');
    await chat.shows('half a thought');
    await chat.type(CTRL_C);
    await chat.hides('half a thought');
    await say('go');
    await eventually(() => expect(opened.asked).toHaveLength(1));
    await chat.type(CTRL_C);
    await chat.shows('⏹ cancelled');
    await chat.type(CTRL_C);
    await chat.shows('Ctrl+C again leaves');
    // Another key between them, and the next one is the first again, however much later or sooner it comes.
    await chat.type('a second thought');
    await chat.shows('a second thought');
    await chat.type(CTRL_C);
    await chat.hides('a second thought');
    await chat.type(CTRL_C);
    await chat.shows(/Ctrl\+C again leaves[\s\S]*Ctrl\+C again leaves/);
    await chat.type(CTRL_C);
    expect((await chat.ended).code).toBe(0);
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('closes the turn and restores the terminal on %s', async (signal, code) => {
    const opened = await openChat([unfinished({ text: ['The beginning ', 'and the end.'] }, 'and the end')]);
    const { chat, say, home } = opened;
    await say('go');
    await chat.shows('The beginning');
    chat.signal(signal);
    expect((await chat.ended).code).toBe(code);
    const raw = chat.raw();
    // Lines are edited and shown by the terminal again.
    expect(raw).toMatch(/\sicanon /);
    expect(raw).toMatch(/\secho /);
    // Bracketed paste off, the cursor back.
    expect(raw.lastIndexOf('\x1b[?2004l')).toBeGreaterThan(raw.lastIndexOf('\x1b[?2004h'));
    expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
    expect(structureProblems(home.lines())).toEqual([]);
    expect(home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'cancelled' });
  });

  it('closes the turn and ends when the window is closed', async () => {
    const opened = await openChat([unfinished({ text: ['The beginning ', 'and the end.'] }, 'and the end')]);
    const { chat, say, home } = opened;
    await say('go');
    await chat.shows('The beginning');
    chat.close();
    await eventually(() => expect(chat.isAlive()).toBe(false));
    expect(home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'cancelled' });
  });

  it('restores the terminal when it fails, and says what failed', async () => {
    const env = onSignal("throw new Error('a defect')");
    const { chat } = await openChat([], [], { env });
    chat.signal('SIGUSR2');
    const { code, stdout } = await chat.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('error INTERNAL: Error: a defect');
    expect(stdout).toMatch(/\sicanon /);
    expect(stdout.lastIndexOf('\x1b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\x1b[?25l'));
  });

  it('makes a notice of what is written to stderr or the console, harmless', async () => {
    const env = onSignal("process.stderr.write('a warning\\x1b[2J'); console.log('a remark')");
    const opened = await openChat([], [], { env });
    const { chat } = opened;
    chat.signal('SIGUSR2');
    await chat.shows('a remark');
    expect(await chat.screen()).toMatch(/leaves\n\na warning\\x1b\[2J\na remark\n/);
    expect(await leave(opened)).toBe(0);
  });

  it('takes back a broken answer, and shows the whole one', async () => {
    const wrong: Reply = { text: ['Wrong ', 'start'] };
    const cut = { kind: 'cut', afterBytes: bytesBefore('start', 'openai-compatible', wrong) } as const;
    const opened = await openChat([{ ...wrong, fault: cut }, { text: 'Right answer.' }]);
    const { chat, say } = opened;
    await say('go');
    await chat.shows('Right answer.');
    expect(await chat.screen()).toMatch(/› go\n\n↻ [\s\S]*; asking\s+again\s+in \d+ s\n\nRight answer\./);
    expect(await chat.everything()).not.toContain('Wrong');
    expect(await leave(opened)).toBe(0);
  });

  it('shows a failure with what to do, and continues', async () => {
    const opened = await openChat([{ fault: { kind: 'status', status: 401 } }, { text: 'Fine now.' }]);
    const { chat, say } = opened;
    await say('go');
    await chat.shows(/✗ \w+: /);
    await say('again');
    await chat.shows('Fine now.');
    expect(await leave(opened)).toBe(0);
  });

  it('continues a conversation and shows how it ended; Up brings back what was sent', async () => {
    const opened = await openChat([{ text: 'Noted: blue.' }]);
    await opened.say('remember blue');
    await opened.chat.shows('Noted: blue.');
    expect(await leave(opened)).toBe(0);
    opened.follow([{ text: 'It was blue.' }]);
    const again = startChat(['--session', 'main', ...opened.flags], {
      home: opened.home,
      env: { NO_COLOR: '1', ...opened.env },
    });
    await again.shows('Noted: blue.');
    expect(await again.screen()).toContain('› remember blue');
    await again.type('\x1b[A');
    await again.type(ENTER);
    await again.shows('12 in, 7 out');
    await again.type(CTRL_D);
    expect((await again.ended).code).toBe(0);
    expect(contents(opened, 'user')).toEqual(['remember blue', 'remember blue']);
  });

  it('attaches the files that @ names, completed from the workspace', async () => {
    const home = testHome();
    home.file('notes/plan.txt', 'the plan is simple\n');
    const opened = await openChat([{ text: 'I see.' }], [], { home });
    const { chat, asked, say } = opened;
    await chat.type('read @pla');
    await chat.shows('notes/plan.txt');
    await chat.type('\t');
    await chat.shows('read @notes/plan.txt');
    await say('now');
    await chat.shows('+ notes/plan.txt');
    await chat.shows('I see.');
    expect(JSON.stringify(asked[0])).toContain('the plan is simple');
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['read @notes/plan.txt now']);
  });

  it('works on 20 columns', async () => {
    const opened = await openChat([{ text: '很长的中文回答 with some words and `code` in it.' }], [], {
      columns: 20,
      rows: 12,
    });
    const { chat, say } = opened;
    await say('说点什么 please, something long');
    await chat.shows('in it.');
    expect(await leave(opened)).toBe(0);
  });
});

describe.concurrent('without a chat', () => {
  it.each([
    ['no terminal', { TERM: 'xterm' }],
    ['a dumb one', { TERM: 'dumb' }],
  ])('on %s, chat ends with 2 and says what to use instead', async (_name, env) => {
    const home = testHome();
    const { code, stderr } =
      env.TERM === 'dumb'
        ? await startChat([], { home, env }).ended.then(({ code: ended, stdout }) => ({ code: ended, stderr: stdout }))
        : await lainclaw(['chat'], { home, env });
    expect(code).toBe(2);
    expect(stderr).toContain('lainclaw ask "…"');
    expect(home.exists()).toBe(false);
  });

  it.each([
    [['--session', '../x'], 'INVALID_SESSION_KEY'],
    [['--provider', 'nobody'], 'UNSUPPORTED_PROVIDER'],
    [['--workspace', '/does/not/exist'], '--workspace /does/not/exist is not accepted'],
    [['--tool-max-steps', '0'], 'at least 1'],
  ])('wrong flags end with 2 before anything is drawn: %j', async (flags, words) => {
    const chat = startChat(flags, { home: testHome() });
    const { code, stdout } = await chat.ended;
    expect(code).toBe(2);
    expect(stdout).toContain(words);
    expect(stdout).not.toContain(READY);
  });

  it('ask shares the session with it', async () => {
    const opened = await openChat([{ text: 'In the chat.' }], ['--session', 'shared']);
    await opened.say('hello');
    await opened.chat.shows('In the chat.');
    expect(await leave(opened)).toBe(0);
    const { sessionId } = opened.home.entry('shared');
    expect((await ask(opened.home, 'from ask', '--session', 'shared')).sessionId).toBe(sessionId);
  });
});
