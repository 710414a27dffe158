// A chat at the terminal: the screen, the person, the app and the conversation put together; keys; and leaving, whatever the reason,
// with the turn closed, the terminal as it was, and nothing lost that was typed.
import { matchesKey } from '@earendil-works/pi-tui';
import type { App } from '../../app.ts';
import type { ChatChoices, ChoicesStore } from '../../gateway/chats/choices.ts';
import { turnSettings } from '../../gateway/chats/choices.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { sessionKeyProblem } from '../../sessions/session-key.ts';
import type { Colors } from '../colors.ts';
import type { Person } from '../person-at.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';
import type { TurnSettings } from '../turn-flags.ts';
import { captureOutput } from './captured-output.ts';
import { createCommands, readCommand } from './commands.ts';
import { createCompletion } from './completion.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { NewEntry } from './entries.ts';
import { listFiles } from './list-files.ts';
import { readMentions } from './mentions.ts';
import { header, recentEntries, sentBefore } from './opening.ts';
import { createPerson } from './person.ts';
import { QuietTerminal } from './quiet-terminal.ts';
import { createScreen } from './screen.ts';
import { shownText } from './shown-text.ts';
import { addUsage, footerLine, statusLine } from './status.ts';
import { terminalChat } from './terminal-chat.ts';

const TICK_MS = 100;
const AGAIN_MS = 2_000;
const REMEMBERED_INPUTS = 200;

export interface OpenedChat {
  app: App;
  turn: TurnSettings;
  ask: Gateway['ask'];
  root: string;
}

export interface ChatOptions {
  terminal: Terminal;
  colors: Colors;
  sessionKey: string;
  newSession: boolean;
  userHome: string;
  /** Makes the app, whose questions go to the person. Rejects before anything is shown. */
  open(person: Person, warn: (line: string) => void): Promise<OpenedChat>;
  now(): number;
}

export async function runChat(options: ChatOptions): Promise<number> {
  const { terminal, colors, now } = options;
  let { sessionKey, newSession } = options;
  const leaving = new AbortController();
  const left = Promise.withResolvers<number>();
  let lastId = 0;
  let usage: ReturnType<typeof addUsage>;
  let answeredBy: string | undefined;
  let cleared = Number.NEGATIVE_INFINITY;
  let conversation: Conversation | undefined;
  const choices = inMemory();

  const nextId = (): number => ++lastId;
  const add = (entry: NewEntry): number => {
    const id = nextId();
    screen.put({ ...entry, id } as Parameters<typeof screen.put>[0]);
    return id;
  };
  const notice = (text: string): void => void add({ kind: 'notice', text });

  const screen = createScreen({
    terminal: new QuietTerminal(),
    colors,
    now,
    below: () => ({
      queued: conversation?.queued ?? [],
      status: conversation && statusOf(conversation, screen.hasPrompt, now()),
      footer: footerLine({ model: modelName(), sessionKey, usage }),
    }),
    onSubmit(text) {
      if (text.trim() === '') return;
      screen.editor.addToHistory(text);
      conversation?.send(text.trim());
    },
    onKey,
  });
  const person = createPerson({
    colors,
    setPrompt: (prompt) => screen.setPrompt(prompt),
    show(question) {
      conversation?.hideRunning();
      const id = add({ kind: 'drawn', text: question });
      return (answer) => {
        screen.put({ kind: 'drawn', id, text: `${question}\n${colors.dim(answer)}` });
        conversation?.showRunning();
      };
    },
  });
  const { app, turn, ask, root } = await options.open(person, notice);

  const chosen = (): ChatChoices => choices.now();
  const modelName = (): string => {
    const model = chosen().model?.name ?? turn?.model ?? answeredBy;
    return model ? `${turn.provider}/${model}` : turn.provider;
  };
  const session = async (key: string) => (await app.sessions.list()).find((each) => each.sessionKey === key);
  const commands = createCommands({
    context: () => ({
      ...terminalChat,
      sessionKey,
      settings: async () => ({ turn, groups: false }),
      choices,
      models: app.listModels,
      session,
      renew: async (key, signal) => {
        newSession = false;
        return app.sessions.renew(key, signal);
      },
      undo: async (entry, signal) => (await app.undo()).undo({ ...entry, force: false, signal }),
      approvals: { answer: () => undefined, waitingIn: () => person.waiting() },
      stop: async () => conversation?.cancel() ?? false,
      activity: () => ({
        isRunning: conversation?.turn !== undefined,
        waiting: conversation?.queued.length ?? 0,
      }),
      signal: leaving.signal,
    }),
    sessions: () => app.sessions.list(),
    async switchTo(key) {
      const problem = sessionKeyProblem(key);
      if (problem) return `\`${key}\` cannot name a conversation: ${problem}`;
      sessionKey = key;
      newSession = false;
      if (!(await session(key))) return `\`${key}\` is a new conversation.`;
      await showRecent();
      return undefined;
    },
    async changes() {
      const entry = await session(sessionKey);
      return entry ? (await app.undo()).turns(entry.sessionId) : [];
    },
    confirm: (question) => person.confirm(shownText(question), leaving.signal),
    async tools() {
      const toolbox = await app.toolbox();
      await toolbox.refresh(leaving.signal);
      if (!turn.withTools) return [];
      const visible = toolbox.visible(turn.toolAllow).distinct();
      const described = await toolbox.describe(visible);
      return described.map(({ name, description }, index) => {
        const [about = ''] = description.split(/(?<=[.。])\s|\n/);
        return { name, description: about, asksFirst: visible[index]?.spec.requiresPermission ?? false };
      });
    },
    leave: () => void leave(EXIT.done),
  });
  conversation = createConversation({
    ask,
    request: async () => ({ ...turnSettings({ turn, groups: false }, chosen()), sessionKey, newSession }),
    attachments: (text) => readMentions(text, root, terminal),
    readCommand: (text) => readCommand(text, commands),
    add,
    put: (entry) => screen.put(entry),
    remove: (id) => screen.remove(id),
    nextId,
    giveBack: (text) => screen.editor.setText([text, screen.editor.getExpandedText()].filter(Boolean).join('\n')),
    onChange: () => screen.refresh(),
    onEnd(result) {
      newSession = false;
      usage = addUsage(usage, result.usage);
      answeredBy = result.model ?? answeredBy;
    },
    now,
  });
  screen.complete(createCompletion({ commands, root, listFiles: (signal) => listFiles(root, signal), now }));

  const talk = conversation;
  add(
    header(
      {
        version: terminal.environment.version,
        model: modelName(),
        sessionKey,
        workspace: root,
        userHome: options.userHome,
      },
      colors,
    ),
  );
  if (!newSession) await showRecent();

  const tick = setInterval(() => talk.turn && screen.refresh(), TICK_MS);
  const release = captureOutput(notice);
  const restore = (): void => {
    clearInterval(tick);
    release();
    screen.stop('ended');
  };
  const onSignal = (): void => void leave(terminal.cancelledExit());
  const onHangUp = (): void => void leave(EXIT.hungUp);
  const onCrash = (error: unknown): void => {
    restore();
    terminal.err.write(
      `error INTERNAL: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
    );
    process.exit(EXIT.failed);
  };
  terminal.signal.addEventListener('abort', onSignal, { once: true });
  process.on('SIGHUP', onHangUp).on('uncaughtException', onCrash).on('exit', restore);
  process.stdin.once('end', onHangUp).once('error', onHangUp);
  try {
    screen.start();
    if (terminal.signal.aborted) onSignal();
    return await left.promise;
  } finally {
    restore();
    terminal.signal.removeEventListener('abort', onSignal);
    process.off('SIGHUP', onHangUp).off('uncaughtException', onCrash).off('exit', restore);
    process.stdin.off('end', onHangUp).off('error', onHangUp);
    app.close();
  }

  async function leave(code: number): Promise<void> {
    if (leaving.signal.aborted) return;
    leaving.abort();
    const unsent = await talk.end();
    const typed = screen.editor.getExpandedText();
    const lost = [...unsent, ...(typed.trim() === '' ? [] : [typed])];
    restore();
    for (const text of lost) terminal.out.write(`not sent: ${printable(text)}\n`);
    terminal.out.write(
      colors.dim(`go on with: lainclaw chat${sessionKey === 'main' ? '' : ` --session ${sessionKey}`}`),
    );
    terminal.out.write('\n');
    left.resolve(code);
  }

  async function showRecent(): Promise<void> {
    const shown = await app.sessions.show(sessionKey, REMEMBERED_INPUTS);
    if (!shown) return;
    for (const entry of recentEntries(shown.messages)) add(entry);
    for (const text of sentBefore(shown.messages)) screen.editor.addToHistory(text);
  }

  /** Keys that mean the same wherever one is. */
  function onKey(data: string): boolean {
    const { editor } = screen;
    if (matchesKey(data, 'ctrl+c')) {
      // A turn that does not end must not keep anyone here.
      if (leaving.signal.aborted) process.exit(EXIT.cancelled);
      if (!screen.hasPrompt && editor.getText() !== '') {
        editor.setText('');
        screen.refresh();
      } else if (!conversation?.cancel()) {
        if (now() - cleared < AGAIN_MS) void leave(EXIT.done);
        else notice('Ctrl+C again leaves');
        cleared = now();
      }
      return true;
    }
    if (matchesKey(data, 'ctrl+d') && !screen.hasPrompt && editor.getText() === '') {
      void leave(EXIT.done);
      return true;
    }
    if (matchesKey(data, 'escape') && !screen.hasPrompt && !editor.isShowingAutocomplete()) {
      conversation?.cancel();
      return true;
    }
    if (matchesKey(data, 'ctrl+o')) screen.toggleCards();
    else if (matchesKey(data, 'ctrl+l')) screen.redraw();
    else if (matchesKey(data, 'ctrl+z')) suspend();
    else return false;
    return true;
  }

  function suspend(): void {
    screen.stop('resumed');
    process.once('SIGCONT', () => screen.resume());
    process.kill(process.pid, 'SIGTSTP');
  }
}

function statusOf({ turn }: Conversation, isAsking: boolean, time: number): string | undefined {
  const manner = turn?.isCancelling ? 'cancelling' : isAsking ? 'asking' : 'running';
  return turn && statusLine(turn.view.activity, time - turn.startedAt, manner);
}

/** What was chosen holds as long as the chat is open. */
function inMemory(): ChoicesStore & { now(): ChatChoices } {
  let chosen: ChatChoices = {};
  return {
    now: () => chosen,
    get: async () => chosen,
    async change(_chat, change) {
      chosen = { ...chosen, ...change } as ChatChoices;
    },
  };
}
