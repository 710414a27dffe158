// Leaving set-up with Ctrl-C or Esc at every question: no byte of the home changes, and that is said.
import { describe, expect, it } from 'vitest';
import { startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import type { ChatTerminal } from '../support/chat-terminal.ts';
import { KEY } from '../support/model-providers.ts';
import {
  CANCELLED,
  CTRL_C,
  choose,
  contentsOf,
  DOWN,
  ENTER,
  ESC,
  EXTRAS,
  LANGUAGE,
  MODEL,
  serveModel,
  startSetup,
} from '../support/setup-screen.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const NOBODY = 'http://127.0.0.1:9';
const env = (url: string) => ({
  ANTHROPIC_API_KEY: KEY,
  LAINCLAW_ANTHROPIC_BASE_URL: url,
  LAINCLAW_OPENAI_BASE_URL: `${url}/v1`,
  LAINCLAW_TELEGRAM_API_ROOT: NOBODY,
});

/** What is typed once the words before it are shown. */
type Step = [shows: string, typed: string | ((screen: ChatTerminal) => Promise<void>)];

const take =
  (label: string): Step[1] =>
  (screen) =>
    choose(screen, label);
const TYPE_KEY: Step[] = [
  [MODEL, take('Type an API key')],
  ['Which service?', 'openrouter'],
  ['(1 match)', ENTER],
];
const ADDRESS: Step[] = [[MODEL, take('Another server')]];
const CONNECTED: Step[] = [
  [MODEL, ENTER],
  [LANGUAGE, ENTER],
];
const TELEGRAM: Step[] = [...CONNECTED, [EXTRAS, `${DOWN}${DOWN} ${ENTER}`]];
const FEISHU: Step[] = [...CONNECTED, [EXTRAS, `${DOWN}${DOWN}${DOWN} ${ENTER}`]];

/** The questions themselves: the steps before them name both too. */
const APP_ID = '◆  App ID';
const APP_SECRET = '◆  App Secret';

/** What leads to each question. */
const QUESTIONS: [question: string, steps: Step[]][] = [
  [MODEL, []],
  ['Which service?', TYPE_KEY.slice(0, 1)],
  ['API key of OpenRouter', TYPE_KEY],
  ['Whose sign-in?', [[MODEL, take('Use the sign-in of Codex')]]],
  ['Its address', ADDRESS],
  ['Its API key', [...ADDRESS, ['Its address', ENTER]]],
  ['What now?', [...ADDRESS, ['Its address', ENTER], ['Its API key', ENTER]]],
  [LANGUAGE, [[MODEL, ENTER]]],
  [EXTRAS, CONNECTED],
  ['Which model? Type to search', [...CONNECTED, [EXTRAS, `${DOWN} ${ENTER}`]]],
  ['The token of the bot', TELEGRAM],
  ['What now?', [...TELEGRAM, ['The token of the bot', `1:AAAA${ENTER}`]]],
  ['Which platform?', FEISHU],
  ['Its address', [...FEISHU, ['Which platform?', take('A private deployment')]]],
  [APP_ID, [...FEISHU, ['Which platform?', ENTER]]],
  [APP_SECRET, [...FEISHU, ['Which platform?', ENTER], [APP_ID, `cli_a1${ENTER}`]]],
];

async function follow(screen: ChatTerminal, steps: readonly Step[]): Promise<void> {
  for (const [shown, typed] of steps) {
    await screen.shows(shown);
    await (typeof typed === 'string' ? screen.type(typed) : typed(screen));
  }
}

async function expectNoTrace(args: string[], steps: Step[], question: string, url: string): Promise<void> {
  const home = testHome();
  home.config({ version: 1, language: 'en' });
  const before = contentsOf(home.path);
  const screen = startSetup(home, args, env(url));
  await follow(screen, steps);
  await screen.shows(question);
  await screen.type(CTRL_C);
  const { code, stdout } = await screen.ended;
  expect([code, stdout]).toEqual([CANCELLED, expect.stringContaining('nothing was changed')]);
  expect(contentsOf(home.path)).toEqual(before);
}

describe.concurrent('Ctrl-C changes no byte', () => {
  it.each(QUESTIONS)('at "%s" (%#)', async (question, steps) => {
    const server = await serveModel();
    await expectNoTrace(['setup'], steps, question, server.url);
  });

  it('at "The key again", after one that was refused', async () => {
    const server = await serveModel();
    const steps: Step[] = [
      ['API key', `sk-wrong${ENTER}`],
      ['does not accept this key', ENTER],
    ];
    const flags = ['setup', '--provider', 'openai', '--api-key-stdin'];
    await expectNoTrace(flags, steps, 'The key again', server.url);
  });

  it('at "Which model?", after one that does not exist', async () => {
    const server = await serveModel();
    const steps: Step[] = [['What now?', take('Choose another model')]];
    await expectNoTrace(['setup', '--model', 'anthropic/gone'], steps, 'Which model?', server.url);
  });

  it('at "What now?", after a Feishu app that does not exist', async () => {
    const [server, feishu] = [await serveModel(), await startFeishuServer()];
    afterFile(() => feishu.close());
    const steps: Step[] = [
      ...FEISHU,
      ['Which platform?', take('A private deployment')],
      ['Its address', feishu.url + ENTER],
      [APP_ID, feishu.appId + ENTER],
      [APP_SECRET, `wrong-secret${ENTER}`],
    ];
    await expectNoTrace(['setup'], steps, 'What now?', server.url);
  });

  it('while the service is asked', async () => {
    const server = await serveModel({ script: () => ({ text: 'late', fault: { kind: 'hang' } }) });
    const home = testHome();
    const screen = startSetup(home, ['setup'], env(server.url));
    await screen.shows(MODEL);
    await screen.type(ENTER);
    await screen.shows('Asking anthropic');
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
    expect(contentsOf(home.path)).toEqual({});
  });
});

it('Esc does the same, also where there is no home yet', async () => {
  const server = await serveModel();
  const home = testHome();
  const screen = startSetup(home, ['setup'], env(server.url));
  await screen.shows(MODEL);
  await screen.type(ESC);
  const { code, stdout } = await screen.ended;
  expect([code, stdout]).toEqual([CANCELLED, expect.stringContaining('nothing was changed')]);
  expect(contentsOf(home.path)).toEqual({});
});
