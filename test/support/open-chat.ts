// A chat with the fake model server on the other side, ready for the first message.
import type { Script } from '../fakes/model-server/reply.ts';
import { type ChatTerminal, type ChatTerminalOptions, startChat } from './chat-terminal.ts';
import { type Model, type ModelOptions, modelFor } from './model-providers.ts';

export const READY = 'Ctrl+D leaves';
export const ENTER = '\r';
export const ESCAPE = '\x1b';
export const CTRL_C = '\x03';
export const CTRL_D = '\x04';
export const CTRL_O = '\x0f';

const OPENS_A_SESSION: ReadonlySet<string> = new Set(['--session', '--continue', '--resume']);

export interface Opened extends Model {
  chat: ChatTerminal;
  /** Types a text and sends it. */
  say(text: string): Promise<void>;
}

export async function openChat(
  script: Script,
  flags: readonly string[] = [],
  options: Partial<ChatTerminalOptions> & Omit<ModelOptions, 'env'> = {},
): Promise<Opened> {
  const model = await modelFor('openai-compatible', script, options);
  const session = flags.some((flag) => OPENS_A_SESSION.has(flag)) ? [] : ['--session', 'main'];
  const chat = startChat([...model.flags, ...session, ...flags], {
    ...options,
    home: model.home,
    env: { NO_COLOR: '1', ...model.env, ...options.env },
  });
  await chat.shows(/leaves\n/);
  return {
    ...model,
    chat,
    async say(text) {
      await chat.type(text);
      await chat.type(ENTER);
    },
  };
}

/** What was said in the session, by one side. */
export function contents({ home }: Model, role: string): string[] {
  return home
    .messages()
    .filter((message) => message.role === role)
    .map(({ content }) => content);
}

/** Leaves the chat once nothing is running in it; resolves with its exit code. */
export async function leave({ chat }: Opened): Promise<number | null> {
  await chat.hides('Esc cancels');
  await chat.type(CTRL_D);
  return (await chat.ended).code;
}
