// Set-up on a real terminal, as a person goes through it: arrow keys, hidden secrets, what is refused and tried again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { lainclaw, terminal } from '../support/lainclaw.ts';
import { filesHolding, KEY } from '../support/model-providers.ts';
import {
  choose,
  storedIn as configOf,
  DOWN,
  ENTER,
  EXTRAS,
  LANGUAGE,
  serveModel as serve,
  startSetup as start,
} from '../support/setup-screen.ts';
import { afterFile, testHome } from '../support/test-home.ts';

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
  it('is not shown; a wrong one is refused with the reason and typed again; a bot is tried as well; the language changes', async () => {
    const [server, telegram] = [await serve(), await startTelegramServer()];
    afterFile(() => telegram.close());
    const home = testHome();
    const screen = start(home, ['setup'], {
      LAINCLAW_ANTHROPIC_BASE_URL: server.url,
      LAINCLAW_TELEGRAM_API_ROOT: telegram.url,
    });
    await choose(screen, 'Type an API key');
    await screen.shows('Which service?');
    await screen.type('anthropic');
    await screen.shows(/Anthropic/);
    await screen.type(ENTER);
    await screen.shows('API key of Anthropic');
    await screen.type(`sk-wrong-key${ENTER}`);
    await screen.shows('does not accept this key');
    await screen.type(ENTER);
    await screen.shows('The key again');
    await screen.type(KEY + ENTER);
    await screen.shows('answers');
    await screen.shows(LANGUAGE);
    await screen.type(DOWN + ENTER);
    // From here on it speaks the language that was chosen.
    await screen.shows('还需要什么？');
    await screen.type(`${DOWN}${DOWN} ${ENTER}`);
    await screen.shows(/@BotFather[\s\S]*机器人的令牌/);
    await screen.type(`1:AAAA${ENTER}`);
    await screen.shows('does not accept the bot token');
    await screen.shows('接下来怎么做？');
    await screen.type(ENTER);
    await screen.shows(/机器人的令牌\n[\s\S]*机器人的令牌/);
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
