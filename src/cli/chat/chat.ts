// A chat at the terminal: the screen, the person, the workspace and the conversation put together; keys; and leaving, whatever the reason,
// with the turn closed, the terminal as it was, and nothing lost that was typed.
import { chosenModel, turnSettings } from '../../gateway/chats/choices.ts';
import { isContinue } from '../../gateway/chats/continuing.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { listSessions } from '../../operations/sessions.ts';
import type { ContextSize } from '../../pipeline/context-size.ts';
import { parseManualTrigger } from '../../pipeline/manual-trigger.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../runtime/workspace.ts';
import { sessionKeyProblem } from '../../sessions/session-key.ts';
import type { Usage } from '../../vocabulary/usage.ts';
import { askTrust } from '../ask-trust.ts';
import type { Colors } from '../colors.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';
import type { Person } from '../terminal-prompter.ts';
import type { TurnSettings } from '../turn-flags.ts';
import { captureOutput } from './captured-output.ts';
import { createChosen } from './chosen.ts';
import { readClipboardPicture } from './clipboard.ts';
import { createCommandServices } from './command-services.ts';
import { createCommands, readCommand } from './commands.ts';
import { createCompletion } from './completion.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { editInput } from './edit-input.ts';
import type { Entry, NewEntry } from './entries.ts';
import { createFileIndex } from './file-index.ts';
import { createKeyboard } from './keyboard.ts';
import { listFiles } from './list-files.ts';
import { mentionsIn, readMentions } from './mentions.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { header, recentEntries, sentBefore } from './opening.ts';
import { createPerson } from './person.ts';
import { createPictures } from './pictures.ts';
import { QuietTerminal } from './quiet-terminal.ts';
import { createScreen } from './screen.ts';
import { sessionChoices } from './session-choices.ts';
import { createSessionCommands } from './session-commands.ts';
import { createShellCommands } from './shell-commands.ts';
import { addUsage, footerLine, statusLine, watchContext } from './status.ts';
import { watchEnding } from './watch-ending.ts';

const TICK_MS = 100;
const REMEMBERED_INPUTS = 200;
/** Farther back, `lainclaw sessions list` looks. */
const LISTED_SESSIONS = 200;

export interface OpenedChat {
  runtime: Runtime;
  workspace: RuntimeWorkspace;
  turn: TurnSettings;
  ask: Gateway['ask'];
  /** The conversation that is continued, or begun. */
  sessionKey: string;
  newSession: boolean;
}

export interface ChatOptions {
  terminal: Terminal;
  colors: Colors;
  /** The person chooses the conversation from a list first. */
  resume: boolean;
  userHome: string;
  /** Opens the workspace, whose questions go to the person. Rejects before anything is shown. */
  open(person: Person, warn: (line: string) => void): Promise<OpenedChat>;
  now(): number;
}

export async function runChat(options: ChatOptions): Promise<number> {
  const { terminal, colors, now } = options;
  let sessionKey = '';
  let newSession = false;
  const leaving = new AbortController();
  const left = Promise.withResolvers<number>();
  const chosen = createChosen();
  let lastId = 0;
  let usage: Usage | undefined;
  let context: ContextSize | undefined;
  let answeredBy: string | undefined;
  let conversation: Conversation | undefined;
  let notifier: Notifier | undefined;

  const nextId = (): number => ++lastId;
  const add = (entry: NewEntry): number => {
    const id = nextId();
    screen.put({ ...entry, id } as Entry);
    return id;
  };
  const notice = (text: string): void => void add({ kind: 'notice', text });

  const device = new QuietTerminal();
  const screen = createScreen({
    terminal: device,
    colors,
    now,
    below: () => ({
      queued: conversation?.queued ?? [],
      status: conversation && statusOf(conversation, screen.hasPrompt, now()),
      footer: footerLine({ model: modelName(), sessionKey, context, usage }),
    }),
    onSubmit(text) {
      if (text.trim() === '') return;
      screen.editor.addToHistory(text);
      conversation?.send(text.trim());
    },
    onKey: createKeyboard({
      screen: () => screen,
      conversation: () => conversation,
      isLeaving: () => leaving.signal.aborted,
      leave: (code) => void leave(code),
      notice,
      onKey: () => notifier?.typed(),
      pictures: () => pictures,
      edit: () => void editInput({ screen, terminal, notice }),
    }),
  });
  const person = createPerson({
    colors,
    setPrompt: (prompt, when) => screen.setPrompt(prompt, when),
    clearPrompt: () => screen.clearPrompt(),
    show(question) {
      notifier?.notify('Lainclaw has a question');
      conversation?.hideRunning();
      const id = add({ kind: 'drawn', text: question });
      return (answer) => {
        screen.put({ kind: 'drawn', id, text: `${question}\n${colors.dim(answer)}` });
        conversation?.showRunning();
      };
    },
  });
  const { runtime, workspace, turn, ask, ...chosenSession } = await options.open(person, notice);
  ({ sessionKey, newSession } = chosenSession);
  const { root } = workspace.files;
  const { variables } = terminal.environment;
  const pictures = createPictures({
    root,
    userHome: options.userHome,
    readClipboard: () => readClipboardPicture({ platform: process.platform, variables }),
    insert(text) {
      screen.editor.insertTextAtCursor(text);
      screen.refresh();
    },
    notice,
  });
  const shell = createShellCommands({ cwd: root, env: variables, add, put: (entry) => screen.put(entry), now });
  const { notify = 'bell', notifyAfterSeconds = 10 } = runtime.config;
  notifier = createNotifier({
    kind: notify,
    afterMs: notifyAfterSeconds * 1_000,
    write: (data) => device.write(data),
    now,
  });

  const modelName = (): string => {
    const own = chosenModel(chosen.now(), turn.provider);
    const provider = own?.provider ?? turn.provider;
    const model = own?.name ?? turn.model ?? answeredBy ?? '';
    return model.startsWith(`${provider}/`) ? model : [provider, model].filter(Boolean).join('/');
  };
  const operating = { runtime, signal: leaving.signal, workspace: root, warn: notice };
  const sessionCommands = createSessionCommands({
    sessionKey: () => sessionKey,
    operate: (operation, input) => operation.run(input, operating),
    choices: () => sessionChoices(operating, root),
    choose: (question, choices) => person.choose(question, choices, leaving.signal),
    switchTo,
    cannotWrite() {
      if ((chosenModel(chosen.now(), turn.provider)?.provider ?? turn.provider) === 'stub')
        return 'There is no model yet that could look at the project: connect one first, with `lainclaw auth login` or `--provider`.';
      return turn.withTools ? undefined : 'The model has no tools in this chat: start it without `--no-with-tools`.';
    },
    send: (text) => conversation?.send(text),
  });
  const services = createCommandServices({
    runtime,
    workspace,
    turn,
    chosen,
    person,
    conversation: () => conversation,
    sessionKey: () => sessionKey,
    warn: notice,
    onNewConversation() {
      newSession = false;
      context = undefined;
    },
    showSize,
    switchTo,
    sessionCommands,
    sessions: async () => (await listSessions.run({ limit: LISTED_SESSIONS, firstWords: true }, operating)).sessions,
    leave: () => void leave(EXIT.done),
    signal: leaving.signal,
  });
  const commands = createCommands(services);
  const talk = createConversation({
    ask: async (request, signal) => {
      const asked = isContinue(request.input) ? { ...request, input: '', continues: true } : request;
      return watchContext(await ask(asked, signal), showSize);
    },
    request: async () => ({ ...turnSettings({ turn, groups: false }, chosen.now()), sessionKey, newSession }),
    async attachments(text) {
      const { attachments, notices } = await readMentions(text, root, terminal);
      return { attachments: [...attachments, ...pictures.attachmentsIn(text), ...shell.take()], notices };
    },
    runShell: shell.run,
    readCommand: (text) => (isContinue(text) ? undefined : readCommand(text, commands)),
    canSteer: (text) =>
      !isContinue(text) && !parseManualTrigger(text) && mentionsIn(text).length === 0 && !pictures.isMarkedIn(text),
    steer: (turnId, message) => void runtime.hub.steer(turnId, message),
    add,
    put: (entry) => screen.put(entry),
    remove: (id) => screen.remove(id),
    nextId,
    giveBack: (text) => screen.editor.setText([text, screen.editor.getExpandedText()].filter(Boolean).join('\n')),
    onChange: () => screen.refresh(),
    onEnd(result) {
      newSession = false;
      notifier?.notify('Lainclaw has ended the turn');
      usage = addUsage(usage, result.usage);
      answeredBy = result.model ?? answeredBy;
    },
    now,
  });
  conversation = talk;
  const files = createFileIndex({ listFiles: (signal) => listFiles(root, signal), signal: leaving.signal, now });
  files.refresh();
  const completion = createCompletion({ commands, root, findFiles: files.find });
  screen.complete(completion, (before) => completion.isWhole(before));
  const { version } = terminal.environment;
  const tick = setInterval(() => talk.turn && screen.refresh(), TICK_MS);
  const release = captureOutput(notice);
  const restore = (): void => {
    clearInterval(tick);
    release();
    screen.stop('ended');
  };
  screen.start();
  // A long transcript takes a while to read: one can write meanwhile, and it is sent after.
  const opened = openSession()
    .then((isOpen) =>
      isOpen ? askTrust(person, { workspace, trust: runtime.trust }, leaving.signal) : leave(EXIT.cancelled),
    )
    .catch((error: Error) => {
      if (!leaving.signal.aborted) add({ kind: 'failure', text: error.message });
    });
  talk.holdUntil(opened);
  const stopWatching = watchEnding({ terminal, restore, leave: (code) => void leave(code) });
  try {
    return await left.promise;
  } finally {
    restore();
    stopWatching();
    await runtime.close();
  }

  async function leave(code: number): Promise<void> {
    if (leaving.signal.aborted) return;
    leaving.abort();
    const unsent = await talk.end();
    const typed = screen.editor.getExpandedText();
    restore();
    for (const text of [...unsent, typed]) {
      if (text.trim() !== '') terminal.out.write(`not sent: ${printable(text)}\n`);
    }
    terminal.out.write(`${colors.dim(`continue with: lainclaw chat --session ${sessionKey}`)}\n`);
    left.resolve(code);
  }

  function showSize(size: ContextSize): void {
    context = size;
  }

  async function switchTo(key: string): Promise<string | undefined> {
    const problem = sessionKeyProblem(key);
    if (problem) return `\`${key}\` cannot name a conversation: ${problem}`;
    sessionKey = key;
    context = undefined;
    newSession = false;
    return (await showRecent()) ? undefined : `\`${key}\` is a new conversation.`;
  }

  /** What the chat begins with; false when the person did not want any of the conversations. */
  async function openSession(): Promise<boolean> {
    const offered = options.resume ? await sessionChoices(operating, root) : [];
    if (offered.length > 0) {
      const key = await person.choose('? Which conversation?', offered, leaving.signal);
      if (key === undefined) return false;
      sessionKey = key;
    }
    add(header({ version, model: modelName(), sessionKey, workspace: root, userHome: options.userHome }, colors));
    if (!newSession) await showRecent();
    return true;
  }

  /** False where nothing was said yet. */
  async function showRecent(): Promise<boolean> {
    const shown = await runtime.sessions.show(sessionKey, REMEMBERED_INPUTS);
    if (!shown) return false;
    for (const entry of recentEntries(shown.messages)) add(entry);
    for (const text of sentBefore(shown.messages)) screen.editor.addToHistory(text);
    return true;
  }
}

function statusOf({ turn }: Conversation, isAsking: boolean, time: number): string | undefined {
  const manner = turn?.isCancelling ? 'cancelling' : isAsking ? 'asking' : 'running';
  return turn && statusLine(turn.view.activity, time - turn.startedAt, manner);
}
