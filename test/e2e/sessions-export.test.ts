// A conversation as a document, through the built binary: everything that is kept, in every format, whatever was said.
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, runBinary, terminal } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

interface Entry {
  type: string;
  turn?: number;
  outcome?: string;
  usage?: object;
  summary?: string;
  messages?: { role: string; content: string; timestamp: string }[];
  toolCalls?: { name: string; args: object; result: { ok: boolean; text: string } | null }[];
}

interface Document {
  version: number;
  sessionKey: string;
  sessions: {
    sessionId: string;
    isCurrent: boolean;
    entries: Entry[];
    damagedLineCount: number;
    damagedLines: number[];
  }[];
}

const HOSTILE = '\u001b[31mred\u001b]0;title\u0007 \u202e``````\n# out\n</pre><script>alert(1)</script>';

const run = (home: Home, ...flags: string[]) => lainclaw(['sessions', 'export', ...flags], { home });
const exported = async (home: Home, ...flags: string[]): Promise<Document> =>
  (await run(home, ...flags)).json<Document>();

/** A turn with a tool, and one that was killed while the model was thinking after its call. */
async function killedModel(): Promise<Model> {
  const reached = Promise.withResolvers<void>();
  const model = await modelFor('openai-compatible', [
    { text: 'Reading.', toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] },
    { text: HOSTILE },
  ]);
  model.home.file('a.txt', `alpha\n${HOSTILE}\n`);
  expect((await model.ask('读一下 a.txt')).code).toBe(0);
  model.follow((_request, index) => {
    if (index === 0) return { toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt', maxLines: 1 } }] };
    reached.resolve();
    return { fault: { kind: 'hang' } };
  });
  const running = model.start('again');
  await reached.promise;
  running.kill('SIGKILL');
  await running.ended;
  return model;
}

describe.concurrent('a conversation with tools and a killed turn', () => {
  it('is whole in every format, and harmless', async () => {
    const { home } = await killedModel();
    const before = readFileSync(home.transcriptPath());
    const { version, sessionKey, sessions } = await exported(home, 'main');
    expect({ version, sessionKey, count: sessions.length }).toEqual({ version: 1, sessionKey: 'main', count: 1 });
    const [first, second] = sessions[0]?.entries ?? [];
    expect(first).toMatchObject({
      type: 'turn',
      turn: 1,
      outcome: 'answered',
      usage: { inputTokens: 24, outputTokens: 14 },
      toolCalls: [{ name: 'fs.read_file', args: { path: 'a.txt' }, result: { ok: true } }],
    });
    expect(first?.messages?.map(({ role, content }) => [role, content])).toEqual([
      ['user', '读一下 a.txt'],
      ['system', expect.stringContaining('alpha')],
      ['assistant', HOSTILE],
    ]);
    expect(first?.messages?.[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    // Nobody has closed it yet: it could still be running.
    expect(second).toMatchObject({ turn: 2, outcome: 'unfinished', toolCalls: [{ name: 'fs.read_file' }] });

    const markdown = (await run(home, 'main', '--format', 'markdown')).stdout;
    expect(markdown).toContain('读一下 a.txt');
    expect(markdown).toContain('**Tool** ✓ `fs.read_file`');
    expect(markdown).toContain('24 tokens in, 14 out');
    expect(markdown).toContain('it is still running, or it was cut short');
    expect(markdown).toContain('```````text\n\\x1b[31mred');
    const html = (await run(home, 'main', '--format=html')).stdout;
    expect(html).toContain('&lt;script&gt;');
    for (const text of [markdown, html]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    expect(html).not.toContain('<script');
    const lines = (await run(home, 'main', '--format', 'jsonl')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Entry).type)).toEqual([
      'session',
      'message',
      'said',
      'tool-call',
      'message',
      'message',
      'turn-end',
      'message',
      'tool-call',
      'turn-end',
    ]);
    expect(readFileSync(home.transcriptPath())).toEqual(before);
  });

  it('says that the turn was interrupted once the next one has closed it', async () => {
    const model = await killedModel();
    model.follow([{ text: 'Here.' }]);
    await model.ask('and now?');
    const { sessions } = await exported(model.home, 'main');
    expect(sessions[0]?.entries.map(({ outcome }) => outcome)).toEqual(['answered', 'interrupted', 'answered']);
    const { stdout } = await run(model.home, 'main', '--text');
    expect(stdout).toContain('> **The turn was interrupted');
    expect(stdout).toContain('The previous turn was interrupted.');
  });

  it('is Markdown at a terminal, which no text can take over', async () => {
    const { home } = await killedModel();
    const { stdout, code } = await terminal(['sessions', 'export', 'main'], { home });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Session `main`\n/);
    expect(stdout).toContain('\\x1b[31mred\\x1b]0;title\\x07 \\x202e');
    expect(stdout).not.toContain('\u001b');
  });
});

describe.concurrent('of one key', () => {
  async function twice(): Promise<{ home: Home; ids: string[] }> {
    const home = testHome();
    const first = await ask(home, 'one');
    const second = await ask(home, 'two', '--new-session');
    await ask(home, 'elsewhere', '--session', 'work');
    return { home, ids: [first.sessionId, second.sessionId] };
  }
  const questions = ({ sessions }: Document): string[] =>
    sessions.flatMap(({ entries }) => entries.flatMap(({ messages }) => messages?.[0]?.content ?? []));

  it('the current session is exported, an earlier one by its id, all of them on request', async () => {
    const { home, ids } = await twice();
    expect(questions(await exported(home, 'main'))).toEqual(['two']);
    expect(questions(await exported(home, 'main', '--session-id', ids[0] ?? ''))).toEqual(['one']);
    expect(questions(await exported(home, ids[0] ?? ''))).toEqual(['one']);
    const all = await exported(home, 'main', '--all');
    expect(questions(all)).toEqual(['one', 'two']);
    expect(all.sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
    const listed = (await lainclaw(['sessions', 'list', '--all'], { home })).json<{ sessionId: string }[]>();
    expect(listed.map(({ sessionId }) => sessionId).slice(0, 2)).toEqual(ids);
    expect(listed).toHaveLength(3);
  });

  it('what does not exist is named, with what does', async () => {
    const { home, ids } = await twice();
    const unknown = await run(home, 'mian');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(
      /^error SESSION_NOT_FOUND: there is no session "mian" \(did you mean main\?\).*work/,
    );
    const other = await run(home, 'work', '--session-id', ids[0] ?? '');
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('"work" has no session with the id') });
    expect((await run(home, 'main', '--session-id', '../../etc/passwd')).code).toBe(1);
    expect((await run(testHome(), 'main')).stderr).toContain('there is none yet');
  });

  it.each([
    [['main', '--format', 'pdf'], 'markdown, json, jsonl, html'],
    [['main', '--last', '0'], 'at least 1'],
    [['main', '--since', 'yesterday'], 'Accepted: a day'],
    [['main', '--all', '--session-id', 'x'], 'exclude each other'],
    [['main', '--force'], '--force goes with --output'],
    [['main', '--json', '--text'], 'exclude each other'],
    [[''], 'is empty'],
    [[], 'missing required argument'],
  ])('%j is wrong usage', async (flags, message) => {
    const { code, stderr } = await run(testHome(), ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('the newest turns alone, or those since a moment', async () => {
    const home = testHome();
    for (const input of ['one', 'two', 'three']) await ask(home, input);
    expect(questions(await exported(home, 'main', '--last', '2'))).toEqual(['two', 'three']);
    expect(questions(await exported(home, 'main', '--last', '9'))).toHaveLength(3);
    expect(questions(await exported(home, 'main', '--since', '2020-01-01'))).toHaveLength(3);
    expect(questions(await exported(home, 'main', '--since', '2999-01-01'))).toEqual([]);
    const third = home.lines().findLast((line) => line.type === 'turn-start');
    const since = third?.type === 'turn-start' ? third.timestamp : '';
    expect(questions(await exported(home, 'main', '--since', since))).toEqual(['three']);
  });
});

describe.concurrent('the file', () => {
  it('is private, of the format its name tells, and never replaced unasked', async () => {
    const home = testHome();
    await ask(home, '你好');
    const path = join(home.workspace, 'talk.html');
    const report = (await run(home, 'main', '--output', 'talk.html')).json<object>();
    expect(report).toMatchObject({ success: true, output: path, format: 'html', turns: 1, messages: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain('你好');
    writeFileSync(path, 'mine');
    expect(await run(home, 'main', '--output', 'talk.html')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('OUTPUT_EXISTS'),
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await run(home, 'main', '--output', 'talk.html', '--force', '--text')).stdout).toContain(
      '1 turn with 2 messages is in',
    );
    expect(readFileSync(path, 'utf8')).toContain('<!doctype html>');
    expect((await run(home, 'main', '--output', 'no/such.md')).stderr).toContain('does not exist');
    expect(existsSync(join(home.workspace, 'no'))).toBe(false);
  });

  it('is refused where its name means another format, and an empty one is reported', async () => {
    const home = testHome();
    await ask(home, 'hi');
    const refused = await run(home, 'main', '--output', 'talk.pdf');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('.pdf: name one with --format') });
    expect(existsSync(join(home.workspace, 'talk.pdf'))).toBe(false);
    expect((await run(home, 'main', '--output', 'talk.pdf', '--format', 'html')).code).toBe(0);
    expect((await run(home, 'main', '--since', '2999-01-01')).stderr).toContain('no turn began at 2999-01-01');
  });
});

describe.concurrent('what is kept beside the messages', () => {
  it('attachments are named, summaries stand where they were made', async () => {
    const home = testHome();
    home.file('note.txt', 'attached text');
    for (let turn = 0; turn < 14; turn += 1) await ask(home, `I like number ${turn}.`, '--memory');
    await ask(home, 'about this', '--file', 'note.txt');
    const entries = (await exported(home, 'main')).sessions[0]?.entries ?? [];
    const summary = entries.find(({ type }) => type === 'summary');
    expect(summary?.summary).toContain('number');
    const { stdout } = await run(home, 'main', '--format', 'markdown');
    expect(stdout).toContain('*Attached `note.txt`*\n\n```text\nattached text\n```');
    expect(stdout).toMatch(/\*Summarised up to message \d+, /);
  });

  it('a call that was not permitted is shown as such', async () => {
    const home = testHome();
    await ask(home, 'tool:file_write {"path":"a.txt","content":"x"}', '--approve=never');
    expect((await run(home, 'main', '--text')).stdout).toMatch(/\*\*Tool\*\* ✗ `file_write`.*not permitted/);
  });

  it('damaged lines are counted, named on stderr, and stop nothing', async () => {
    const home = testHome();
    await ask(home, 'one');
    const lines = home.lines().length;
    appendFileSync(home.transcriptPath(), '{"torn\n{"type":"tool-call"}\n');
    await ask(home, 'two');
    const { code, stderr, json } = await run(home, 'main');
    expect(code).toBe(0);
    expect(stderr).toContain(`2 lines of the transcript cannot be read: ${lines + 1}, ${lines + 2} of session-`);
    const [session] = json<Document>().sessions;
    expect(session).toMatchObject({ damagedLineCount: 2, damagedLines: [lines + 1, lines + 2] });
    expect(session?.entries).toHaveLength(2);
  });

  it('a long transcript needs no more memory than a short one', async () => {
    const home = testHome();
    await ask(home, 'one');
    const path = home.transcriptPath();
    const timestamp = new Date().toISOString();
    const message = (role: string, number: number): string =>
      JSON.stringify({
        type: 'message',
        message: {
          id: `m${number}`,
          role,
          timestamp,
          content: `${number} ${'长'.repeat(1_000)}`,
          route: '',
          stage: '',
        },
      });
    // Ninety megabytes, in a process that may have less than half of that.
    for (let block = 0; block < 30; block += 1) {
      const turns = Array.from({ length: 500 }, (_, index) => block * 500 + index);
      appendFileSync(path, turns.map((turn) => `${message('user', turn)}\n${message('assistant', turn)}\n`).join(''));
    }
    expect(statSync(path).size).toBeGreaterThan(90_000_000);
    const env = { NODE_OPTIONS: '--max-old-space-size=40' };
    for (const format of ['markdown', 'json']) {
      const output = join(home.workspace, `long.${format}`);
      const flags = ['sessions', 'export', 'main', '--format', format, '--output', output];
      const { code, stderr, json } = await runBinary(flags, { home, env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(json()).toMatchObject({ turns: 15_001, messages: 30_002 });
    }
  }, 300_000);
});
