// Set-up on a real terminal, as a person goes through it: arrow keys, hidden secrets, what is refused and tried again, and
// leaving at any question without a trace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { type ChatTerminal, startOnScreen } from '../support/chat-terminal.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, terminal } from '../support/lainclaw.ts';
import { filesHolding, KEY } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ENTER = '\r';
const DOWN = '\x1b[B';
const ESC = '\x1b';
const CTRL_C = '\x03';
const CANCELLED = 130;

async function serve(options: Partial<Parameters<typeof startModelServer>[0]> = {}) {
  const server = await startModelServer({
    script: () => ({ text: 'Hello.' }),
    accept: (token) => token === KEY,
    models: ['claude-sonnet-5', 'gpt-6-sol', 'other'],
    ...options,
  });
  afterFile(() => server.close());
  return server;
}

/** Nothing that may run on the machine of the test is found. */
const ALONE = {
  OLLAMA_HOST: 'http://127.0.0.1:9',
  LAINCLAW_LMSTUDIO_BASE_URL: 'http://127.0.0.1:9',
  SHELL: '/bin/bash',
};

const start = (home: Home, args: string[], env: Record<string, string> = {}): ChatTerminal =>
  startOnScreen(args, { home, env: { ...ALONE, ...env }, rows: 60, columns: 110 });

const configOf = (home: Home): unknown => JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8'));

/** Every file below the home with its bytes, without the empty files that locks are. */
function contents(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('/locks/'))
      .map((path) => [path, readFileSync(path, 'base64')]),
  );
}

const LANGUAGE = 'Which language';
const EXTRAS = 'What else?';

describe.concurrent('three answers', () => {
  it('connect the key in the environment, by "lainclaw" alone; the next time that is the chat', async () => {
    const server = await serve();
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const screen = start(home, [], env);
    await screen.shows('Anthropic: the key in ANTHROPIC_API_KEY');
    await screen.type(ENTER);
    await screen.shows('anthropic/claude-sonnet-5 answers');
    await screen.shows(LANGUAGE);
    await screen.type(ENTER);
    await screen.shows(EXTRAS);
    await screen.type(ENTER);
    const { code, stdout } = await screen.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('25 model calls in one turn (toolMaxSteps)');
    expect(stdout).toContain('lainclaw ask "what can you do?"');
    expect(configOf(home)).toEqual({
      version: 1,
      provider: 'anthropic',
      model: 'claude-sonnet-5',
      toolMaxSteps: 25,
      language: 'en',
      memory: true,
    });
    expect(filesHolding(home.path, KEY)).toEqual([]);
    expect((await lainclaw(['ask', 'hello'], { home, env })).json()).toMatchObject({ result: 'Hello.' });
    const chat = start(home, [], env);
    await chat.shows('claude-sonnet-5');
    await chat.type('\x04');
    expect((await chat.ended).code).toBe(0);
  });
});

describe.concurrent('a typed key', () => {
  it('is not shown; a wrong one is refused with the reason and typed again; a bot is tried as well', async () => {
    const [server, telegram] = [await serve(), await startTelegramServer()];
    afterFile(() => telegram.close());
    const home = testHome();
    const screen = start(home, ['setup'], {
      LAINCLAW_ANTHROPIC_BASE_URL: server.url,
      LAINCLAW_TELEGRAM_API_ROOT: telegram.url,
    });
    await screen.shows('Type an API key');
    await screen.type(DOWN + ENTER);
    await screen.shows('Of which service?');
    await screen.type('anthropic');
    await screen.shows(/Anthropic/);
    await screen.type(ENTER);
    await screen.shows('API key of Anthropic');
    await screen.type(`sk-wrong-key${ENTER}`);
    await screen.shows('does not accept this key');
    await screen.type(ENTER);
    await screen.shows('The key once more');
    await screen.type(KEY + ENTER);
    await screen.shows('answers');
    await screen.shows(LANGUAGE);
    await screen.type(DOWN + ENTER);
    await screen.shows(EXTRAS);
    await screen.type(`${DOWN}${DOWN} ${ENTER}`);
    await screen.shows('@BotFather');
    await screen.type(`1:AAAA${ENTER}`);
    await screen.shows('does not accept the bot token');
    await screen.type(ENTER);
    await screen.shows(/The token of the bot\n[\s\S]*The token of the bot/);
    await screen.type(telegram.token + ENTER);
    const { code, stdout } = await screen.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('@lain_test_bot')]);
    expect(screen.raw()).not.toContain(KEY);
    expect(screen.raw()).not.toContain(telegram.token);
    expect(configOf(home)).toMatchObject({ provider: 'anthropic', language: 'zh' });
    expect(filesHolding(home.path, KEY)).toEqual(['auth-profiles.json']);
  });
});

describe.concurrent('another model', () => {
  it('is chosen from the list of the service, and refused where it does not exist', async () => {
    const server = await serve();
    const home = testHome();
    const env = { OPENAI_API_KEY: KEY, LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1` };
    const screen = start(home, ['setup', '--model', 'openai/gone', '--language', 'en', '--memory', 'off'], env);
    await screen.shows('gone');
    await screen.shows('Choose another model');
    await screen.type(ENTER);
    await screen.shows('Which model?');
    await screen.type('gpt-6-sol');
    await screen.shows('(1 match)');
    await screen.type(ENTER);
    await screen.shows('openai/gpt-6-sol answers');
    await screen.shows(EXTRAS);
    await screen.type(ENTER);
    expect((await screen.ended).code).toBe(0);
    expect(configOf(home)).toMatchObject({ provider: 'openai', model: 'gpt-6-sol', memory: false });
  });
});

describe.concurrent('leaving', () => {
  const env = (url: string, telegram = 'http://127.0.0.1:9') => ({
    ANTHROPIC_API_KEY: KEY,
    LAINCLAW_ANTHROPIC_BASE_URL: url,
    LAINCLAW_TELEGRAM_API_ROOT: telegram,
  });
  /** What is typed before each question at which the person leaves. */
  const QUESTIONS: [name: string, steps: [type: string, shows: string][]][] = [
    ['the model', [['', 'Which model shall answer?']]],
    [
      'the service',
      [
        ['', 'Which model shall answer?'],
        [DOWN + DOWN + ENTER, 'Of which service?'],
      ],
    ],
    [
      'the key',
      [
        ['', 'Which model shall answer?'],
        [DOWN + DOWN + ENTER, 'Of which service?'],
        [ENTER, 'API key of'],
      ],
    ],
    [
      'the address',
      [
        ['', 'Which model shall answer?'],
        [DOWN + DOWN + DOWN + ENTER, 'Its address'],
      ],
    ],
    [
      'the key of the address',
      [
        ['', 'Which model shall answer?'],
        [DOWN + DOWN + DOWN + ENTER, 'Its address'],
        [ENTER, 'Its API key'],
      ],
    ],
    [
      'what to do after a refusal',
      [
        ['', 'Which model shall answer?'],
        [DOWN + DOWN + DOWN + ENTER, 'Its address'],
        [ENTER, 'Its API key'],
        [ENTER, 'What now?'],
      ],
    ],
    [
      'the language',
      [
        ['', 'Which model shall answer?'],
        [ENTER, LANGUAGE],
      ],
    ],
    [
      'the rest',
      [
        ['', 'Which model shall answer?'],
        [ENTER, LANGUAGE],
        [ENTER, EXTRAS],
      ],
    ],
    [
      'the bot token',
      [
        ['', 'Which model shall answer?'],
        [ENTER, LANGUAGE],
        [ENTER, EXTRAS],
        [`${DOWN}${DOWN} ${ENTER}`, 'The token of the bot'],
      ],
    ],
    [
      'what to do without Telegram',
      [
        ['', 'Which model shall answer?'],
        [ENTER, LANGUAGE],
        [ENTER, EXTRAS],
        [`${DOWN}${DOWN} ${ENTER}`, 'The token of the bot'],
        [`1:AAAA${ENTER}`, 'What now?'],
      ],
    ],
    [
      'the platform of Feishu',
      [
        ['', 'Which model shall answer?'],
        [ENTER, LANGUAGE],
        [ENTER, EXTRAS],
        [`${DOWN}${DOWN}${DOWN} ${ENTER}`, 'Which platform?'],
      ],
    ],
  ];

  it.each(QUESTIONS)('with Ctrl-C at %s changes no byte', async (_name, steps) => {
    const server = await serve();
    const home = testHome();
    home.config({ version: 1, language: 'ru' });
    const before = contents(home.path);
    const screen = start(home, ['setup'], env(server.url));
    for (const [typed, shown] of steps) {
      await screen.type(typed);
      await screen.shows(shown);
    }
    await screen.type(CTRL_C);
    const { code, stdout } = await screen.ended;
    expect([code, stdout]).toEqual([CANCELLED, expect.stringContaining('nothing was changed')]);
    expect(contents(home.path)).toEqual(before);
  });

  it('with Esc does the same', async () => {
    const server = await serve();
    const home = testHome();
    const screen = start(home, ['setup'], env(server.url));
    await screen.shows('Which model shall answer?');
    await screen.type(ESC);
    const { code, stdout } = await screen.ended;
    expect([code, stdout]).toEqual([CANCELLED, expect.stringContaining('nothing was changed')]);
    expect(contents(home.path)).toEqual({});
  });

  it('with Ctrl-C while the service is asked', async () => {
    const server = await serve({ script: () => ({ text: 'late', fault: { kind: 'hang' } }) });
    const home = testHome();
    const screen = start(home, ['setup'], env(server.url));
    await screen.shows('Which model shall answer?');
    await screen.type(ENTER);
    await screen.shows('Asking anthropic');
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
    expect(contents(home.path)).toEqual({});
  });
});

describe.concurrent('"lainclaw" alone', () => {
  it('prints help where there is no terminal', async () => {
    const { code, stdout } = await lainclaw([], { home: testHome() });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: lainclaw')]);
  });

  it('refuses a config.json of a newer version, untouched', async () => {
    const home = testHome();
    home.config('{"version":99}');
    const { code, stdout } = await terminal([], { home });
    expect([code, stdout]).toEqual([1, expect.stringContaining('STORAGE_NEWER_VERSION')]);
    expect(readFileSync(join(home.path, 'config.json'), 'utf8')).toBe('{"version":99}');
  });
});
