// Playing a conversation back, and asking it again of another model: nothing is run either way.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ComparedTurn } from '../../src/gateway/replay-against.ts';
import type { RunEvent } from '../../src/pipeline/events.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, startTerminal, terminal } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

type Line = { turn: number; input?: string } & (RunEvent | { type: 'turn' });

const replay = (home: Home, ...flags: string[]) => lainclaw(['sessions', 'replay', ...flags], { home });
const linesOf = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const snapshot = (home: Home): string[] =>
  readdirSync(home.path, { recursive: true, withFileTypes: true })
    // What SQLite shares between processes that read is not content.
    .filter(({ name }) => !name.endsWith('.db-shm'))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('locks'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${readFileSync(path, 'base64')}`);

async function recorded(): Promise<Model> {
  const model = await modelFor('openai-compatible', [
    { text: 'Reading.', toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] },
    { text: 'It says \u001b[31malpha.' },
    { text: '不客气。' },
  ]);
  model.home.file('a.txt', 'alpha\n');
  await model.ask('read a.txt');
  await model.ask('谢谢');
  return model;
}

describe.concurrent('played back', () => {
  it('a conversation is the events it was made of, as JSON lines, and nothing is asked or written', async () => {
    const { home, asked } = await recorded();
    const before = snapshot(home);
    const requests = asked.length;
    const { code, stdout, stderr } = await replay(home, 'main');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = linesOf(stdout);
    expect(lines.map(({ turn, type }) => `${turn} ${type}`)).toEqual([
      '1 turn',
      '1 run-start',
      '1 text-delta',
      '1 tool-start',
      '1 tool-end',
      '1 text-delta',
      '1 run-end',
      '2 turn',
      '2 run-start',
      '2 text-delta',
      '2 run-end',
    ]);
    expect(lines[0]).toMatchObject({ input: 'read a.txt' });
    expect(lines[6]).toMatchObject({ result: { success: true, usage: { inputTokens: 24, outputTokens: 14 } } });
    expect(asked).toHaveLength(requests);
    expect(snapshot(home)).toEqual(before);
  });

  it('at a terminal it looks as it did, and cannot take it over', async () => {
    const { home } = await recorded();
    const options = { home, env: { NO_COLOR: '1' } };
    const { stdout, code } = await terminal(['sessions', 'replay', 'main', '--speed', '50'], options);
    expect(code).toBe(0);
    expect(stdout).toContain('> read a.txt\n');
    expect(stdout).toMatch(/✓ fs\.read_file \{"path":"a\.txt"\} [\d.]+ ms\nIt says \\x1b\[31malpha\.\n/);
    expect(stdout).toContain('> 谢谢\n不客气。\n');
    expect(stdout).not.toContain('\u001b');
  });

  it('one turn, or from one on; a turn that there is not is wrong usage', async () => {
    const { home } = await recorded();
    const played = async (...flags: string[]): Promise<number[]> => [
      ...new Set(linesOf((await replay(home, 'main', ...flags)).stdout).map(({ turn }) => turn)),
    ];
    expect(await played('--turn', '1')).toEqual([1]);
    expect(await played('--from', '2')).toEqual([2]);
    for (const [flags, message] of [
      [['--turn', '3'], '--turn 3 is out of range: "main" has turns 1 to 2'],
      [['--from', '9'], '--from 9 is out of range'],
      [['--turn', '0'], 'at least 1'],
      [['--turn', '1', '--from', '1'], 'exclude each other'],
      [['--speed', '2', '--instant'], 'exclude each other'],
      [['--speed', '-1'], 'above 0'],
      [['--against', 'stub', '--base-url', 'http://127.0.0.1:1'], '--base-url goes with --against openai-compatible'],
      [['--against', '/model'], 'a provider, or provider/model'],
      [['--max-tokens', '5'], '--max-tokens goes with --against'],
    ] as const) {
      const { code, stderr } = await replay(home, 'main', ...flags);
      expect({ flags, code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    }
    expect(await replay(home, 'mian')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('did you mean main?'),
    });
  });

  it('Ctrl-C ends it', async () => {
    const { home } = await recorded();
    const running = startTerminal(['sessions', 'replay', 'main', '--speed', '0.00001'], { home });
    await running.saw('read a.txt');
    await running.write('\x03');
    expect((await running.ended).code).toBe(130);
  });

  it('a turn that was cut short says so', async () => {
    const reached = Promise.withResolvers<void>();
    const model = await modelFor('openai-compatible', () => {
      reached.resolve();
      return { fault: { kind: 'hang' } };
    });
    const running = model.start('hello');
    await reached.promise;
    running.kill('SIGKILL');
    await running.ended;
    const { code, stdout, stderr } = await replay(model.home, 'main', '--text');
    expect(code).toBe(0);
    expect(stdout).toContain('> hello');
    expect(stderr).toContain('error UNFINISHED: this turn has no end');
  });
});

describe.concurrent('asked again of another model', () => {
  interface Compared {
    success: boolean;
    replayedAs: string;
    end: { kind: string; turn?: number };
    sameAnswers: number;
    sameCalls: number;
    replayedUsage: { inputTokens: number; outputTokens: number };
    turns: ComparedTurn[];
  }
  const against = ({ home, env, server }: Model, ...flags: string[]) =>
    lainclaw(
      [
        'sessions',
        'replay',
        'main',
        '--against',
        'openai-compatible/org/other',
        '--base-url',
        `${server.url}/v1`,
        ...flags,
      ],
      { home, env },
    );

  it('the questions get the results on record, an other call is refused, and both answers are shown', async () => {
    const model = await recorded();
    const { home, asked, server } = model;
    const before = readFileSync(home.transcriptPath());
    home.file('a.txt', 'changed since\n');
    model.follow([
      {
        toolCalls: [
          { name: 'fs_read_file', args: { path: 'a.txt' } },
          { name: 'file_write', args: { path: 'b.txt', content: 'effect' } },
        ],
      },
      { text: 'Alpha, it says.' },
      { text: '不客气。' },
    ]);
    const from = asked.length;
    const { code, stderr, json } = await against(model);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { replayedAs, end, sameAnswers, sameCalls, turns } = json<Compared>();
    expect({ end, sameAnswers, sameCalls }).toEqual({ end: { kind: 'done' }, sameAnswers: 1, sameCalls: 1 });
    expect(turns[0]).toMatchObject({
      turn: 1,
      isSameAnswer: false,
      isSameCalls: false,
      recorded: { answer: 'It says \u001b[31malpha.', calls: [{ name: 'fs.read_file', ok: true }] },
      replayed: {
        provider: 'openai-compatible',
        model: 'org/other',
        answer: 'Alpha, it says.',
        calls: [
          { name: 'fs.read_file', ok: true, isRecorded: true },
          { name: 'file_write', ok: false, isRecorded: false },
        ],
        usage: { inputTokens: 24, outputTokens: 14 },
      },
    });
    expect(turns[1]).toMatchObject({ input: '谢谢', isSameAnswer: true });
    const results = asked[from + 1]?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
    expect(results).toEqual(['alpha\n', expect.stringContaining('not on record')]);
    expect(asked.slice(from).every((request) => request.model === 'org/other')).toBe(true);
    // Its second question follows its own first answer, not the recorded one.
    expect(JSON.stringify(asked[from + 2]?.messages)).toContain('Alpha, it says.');
    expect(existsSync(join(home.workspace, 'b.txt'))).toBe(false);
    expect(readFileSync(home.transcriptPath())).toEqual(before);
    expect(replayedAs).toMatch(/^replay:main-/);
    expect(structureProblems(home.lines(replayedAs))).toEqual([]);
    expect(server.violations).toEqual([]);
  });

  it('one turn alone follows what was said before it', async () => {
    const model = await recorded();
    const { home, asked } = model;
    model.follow([{ toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] }, { text: '没关系。' }]);
    const from = asked.length;
    const { code, json } = await against(model, '--turn', '2');
    const { turns, replayedAs } = json<Compared>();
    expect(code).toBe(0);
    expect(turns).toMatchObject([{ turn: 2, isSameAnswer: false, replayed: { calls: [{ isRecorded: true }] } }]);
    const told = JSON.stringify(asked[from]?.messages);
    expect(told).toContain('read a.txt');
    expect(told).toContain('alpha');
    expect(home.messages(replayedAs).map(({ role }) => role)).toEqual([
      'user',
      'system',
      'assistant',
      'user',
      'system',
      'assistant',
    ]);
    expect(structureProblems(home.lines(replayedAs))).toEqual([]);
  });

  it('the caps are those of the whole replay', async () => {
    const model = await recorded();
    const from = model.asked.length;
    model.follow(() => ({ text: 'Short.' }));
    const { code, stderr, json } = await against(model, '--max-tokens', '15');
    expect(code).toBe(0);
    expect(json<Compared>().end).toEqual({ kind: 'capped', turn: 2 });
    expect(stderr).toContain('a cap is reached: turn 2');
    expect(model.asked.length - from).toBe(1);
  });

  it('a provider that fails ends it, with its error', async () => {
    const model = await recorded();
    model.follow(() => ({ fault: { kind: 'status', status: 401 } }));
    const { code, stderr, json } = await against(model);
    expect(code).toBe(1);
    expect(json<Compared>()).toMatchObject({ success: false, end: { kind: 'failed', turn: 1 } });
    expect(stderr).toMatch(/^error PROVIDER_/);
  });

  it('attached texts go with their question again, and tools called by hand answer from the record', async () => {
    const home = testHome();
    home.file('note.txt', 'the first text');
    await ask(home, 'look', '--file', 'note.txt');
    await ask(home, 'tool:fs.read_file {"path":"note.txt"}');
    home.file('note.txt', 'another text');
    const { turns } = (await replay(home, 'main', '--against', 'stub')).json<Compared>();
    expect(turns.map(({ isSameAnswer }) => isSameAnswer)).toEqual([true, true]);
    const shown = await replay(home, 'main', '--against', 'stub', '--text');
    expect(shown.stdout).toContain('= the same answer');
    expect(shown.stdout).toContain('the new conversation is the session replay:main-');
  });

  it('an unknown provider is wrong usage, with those there are', async () => {
    const home = testHome();
    await ask(home, 'hi');
    await ask(home, 'ho');
    const { code, stderr } = await replay(home, 'main', '--turn', '2', '--against', 'nobody');
    expect(code).toBe(2);
    expect(stderr).toContain('--against: there is no provider "nobody"; accepted: stub,');
    expect(home.transcripts()).toHaveLength(1);
  });
});
