// The web console in a real browser: a gateway of its own home with the fake model, and Chromium signed in to it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { Script } from '../fakes/model-server/reply.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { ARE_DELAYED } from './delays.ts';
import { gatewayHome } from './gateway-service.ts';
import type { Home } from './home.ts';
import { runBinary } from './lainclaw.ts';
import { KEY } from './model-providers.ts';
import { afterFile } from './test-home.ts';

const PROGRAM = '/usr/bin/chromium-headless-shell';
/** The deadline is that of the test: Playwright itself gives up after half a minute. */
const GIVE_UP_MS = 170_000;
/** For a command that ends when the test says so: by itself it would be ended after half a minute, which a busy machine takes. */
export const LONGEST_COMMAND_MS = 600_000;
/** How much slower the page is with the delays of delays.ts. */
const SLOWED_BY = 3;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface ConsoleBrowser {
  home: Home;
  model: ModelServer;
  address: string;
  /** Where its turns run. */
  workspace: string;
  /** A context that is signed in; its pages share the cookie. */
  signIn(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** `lainclaw …` on the home of the gateway, with the same model. */
  run: (args: readonly string[]) => ReturnType<typeof runBinary>;
}

let browser: Promise<Browser> | undefined;

/** One browser for all tests of a file. */
export function openBrowser(): Promise<Browser> {
  if (!browser) {
    browser = launch();
    afterFile(async () => (await browser)?.close());
  }
  return browser;
}

async function launch(): Promise<Browser> {
  const settings = { executablePath: PROGRAM, args: ['--no-sandbox'] };
  if (!ARE_DELAYED) return chromium.launch(settings);
  // Without the rule the browser asks its own machine directly.
  return chromium.launch({ ...settings, proxy: { server: await startDelayingProxy(), bypass: '<-loopback>' } });
}

export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext({ locale: 'en-US', ...options });
  context.setDefaultTimeout(GIVE_UP_MS);
  // A page may be closed at once.
  if (ARE_DELAYED) context.on('page', (page) => void throttle(page).catch(() => {}));
  return context;
}

async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED_BY });
}

export interface ConsoleOptions {
  script: Script;
  /** Prepares the home before the gateway starts. */
  prepare?(home: Home): void;
  hasModel?: boolean;
  /** More variables of the gateway's environment. */
  variables?(model: ModelServer): Record<string, string>;
}

export async function openConsole({
  script,
  prepare,
  hasModel = true,
  variables,
}: ConsoleOptions): Promise<ConsoleBrowser> {
  const model = await startModelServer({ script, title: 'A short title', contextWindow: 128_000 });
  afterFile(() => model.close());
  const { home } = gatewayHome({ hasModel: false });
  if (hasModel) home.config({ provider: 'openai', toolMaxSteps: 25 });
  prepare?.(home);
  const env = {
    ...(hasModel && { LAINCLAW_OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: KEY }),
    ...variables?.(model),
  };
  const run = (args: readonly string[]) => runBinary([...args], { home, env });
  const up = async () =>
    (await run(['up', '--port', '0', '--no-open', '--json'])).json<{ url: string; port: number }>();
  const { port } = await up();
  const address = `http://127.0.0.1:${port}/`;
  return {
    home,
    model,
    address,
    workspace: join(home.path, 'workspace'),
    run,
    async signIn(options = {}) {
      const context = await newContext(options);
      const page = await context.newPage();
      await page.goto((await up()).url);
      // Its name is in the language of the browser.
      await page.locator('#enter').click();
      await page.waitForURL(address);
      await page.close();
      return context;
    },
  };
}

/** What the page logged as errors, so that a test can expect none: a broken content policy is one of them. */
export function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return errors;
}

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Findings of axe-core, each with what is wrong and where. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate(`(async () => {
    if (!window.axe) { ${AXE} }
    return window.axe.run(document, { resultTypes: ['violations'] });
  })()`)) as AxeResult;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
