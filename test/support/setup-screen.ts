// Set-up on a real terminal: what a test types at its questions, and what it left behind.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { type ChatTerminal, startOnScreen } from './chat-terminal.ts';
import { eventually } from './eventually.ts';
import type { Home } from './home.ts';
import { KEY } from './model-providers.ts';
import { afterFile } from './test-home.ts';

export const ENTER = '\r';
export const DOWN = '\x1b[B';
export const ESC = '\x1b';
export const CTRL_C = '\x03';
export const CANCELLED = 130;

/** What the questions begin with, in English. */
export const MODEL = 'Which model should answer?';
export const LANGUAGE = 'Which language';
export const EXTRAS = 'What else?';

/** Nothing that may run on the machine of the test is found. */
const NOWHERE = 'http://127.0.0.1:9';
const ALONE = {
  OLLAMA_HOST: NOWHERE,
  LAINCLAW_LMSTUDIO_BASE_URL: NOWHERE,
  LAINCLAW_LLAMA_CPP_BASE_URL: NOWHERE,
  LAINCLAW_VLLM_BASE_URL: NOWHERE,
  SHELL: '/bin/bash',
};

export async function serveModel(options: Partial<Parameters<typeof startModelServer>[0]> = {}): Promise<ModelServer> {
  const server = await startModelServer({
    script: () => ({ text: 'Hello.' }),
    accept: (token) => token === KEY,
    models: ['claude-sonnet-5', 'gpt-6-sol', 'other'],
    ...options,
  });
  afterFile(() => server.close());
  return server;
}

export function startSetup(home: Home, args: string[], env: Record<string, string> = {}): ChatTerminal {
  return startOnScreen(args, { home, env: { ...ALONE, ...env }, rows: 70, columns: 110 });
}

/** Goes down to a choice and takes it, once it is offered: an answer given before may hold the same words. */
export async function choose(screen: ChatTerminal, label: string): Promise<void> {
  await screen.shows(new RegExp(`[●○] ${RegExp.escape(label)}`));
  for (;;) {
    const at = await eventually(() => selectedIn(screen));
    if (at.startsWith(label)) return screen.type(ENTER);
    await screen.type(DOWN);
    // Anything else on the screen may change meanwhile: only the next selection says that the key was taken.
    await eventually(async () => {
      if ((await selectedIn(screen)) === at) throw new Error(`"${label}" cannot be reached:\n${await screen.screen()}`);
    });
  }
}

async function selectedIn(screen: ChatTerminal): Promise<string> {
  const shown = await screen.screen();
  return /● (.*)/.exec(shown)?.[1] ?? Promise.reject(new Error(`nothing is selected:\n${shown}`));
}

/** The questions after the model, each answered with what is suggested. */
export async function finish(screen: ChatTerminal): Promise<{ code: number | null; stdout: string }> {
  await screen.shows(LANGUAGE);
  await screen.type(ENTER);
  await screen.shows(EXTRAS);
  await screen.type(ENTER);
  return screen.ended;
}

export function storedIn(home: Home, file = 'config.json'): Record<string, unknown> | undefined {
  const path = join(home.path, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Every file below a directory with its bytes, without the empty files that locks are. */
export function contentsOf(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('/locks/'))
      .map((path) => [path, readFileSync(path, 'base64')]),
  );
}
