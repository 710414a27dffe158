// A chat at the terminal: the screen, the person, the workspace and the conversation put together; keys; and leaving, whatever the reason,
// with the turn closed, the terminal as it was, and nothing lost that was typed.
import { nextMode } from '../../config/mode.ts';
import { chosenModel, turnSettings } from '../../gateway/chats/choices.ts';
import { isContinue } from '../../gateway/chats/continuing.ts';
import { interruption } from '../../gateway/chats/interrupted.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { ContextSize } from '../../pipeline/context-size.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../runtime/workspace.ts';
import { sessionKeyProblem } from '../../sessions/session-key.ts';
import { createTurnMode, type TurnMode } from '../../tools/permissions/mode.ts';
import type { Usage } from '../../vocabulary/usage.ts';
import { askTrust } from '../ask-trust.ts';
import type { Colors } from '../colors.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';
import type { Person } from '../terminal-prompter.ts';
import type { TurnSettings } from '../turn-flags.ts';
import { createAllCommands } from './all-commands.ts';
import { createAskedElsewhere } from './asked-elsewhere.ts';
import { captureOutput } from './captured-output.ts';
import { createChosen } from './chosen.ts';
import { readCommand } from './commands.ts';
import { createCompletion } from './completion.ts';
import { contradictionLines } from './contradictions.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { editInput } from './edit-input.ts';
import type { Entry, NewEntry } from './entries.ts';
import { createFileIndex } from './file-index.ts';
import { createKeyboard } from './keyboard.ts';
import { listFiles } from './list-files.ts';
import { createMessageParts } from './message-parts.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { header, recentEntries, sentBefore } from './opening.ts';
import { createPerson } from './person.ts';
import { QuietTerminal } from './quiet-terminal.ts';
import { createScreen } from './screen.ts';
import { sessionChoices } from './session-choices.ts';
import { addUsage, footerLine, statusLine, turnFigures, watchContext } from './status.ts';
import { watchEnding } from './watch-ending.ts';

const TICK_MS = 100;
const REMEMBERED_INPUTS = 200;

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
  let mode: TurnMode = createTurnMode('ask');

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
      footer: footerLine({ mode: mode.current(), model: modelName(), sessionKey, context, usage }),
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
      pictures: () => parts.pictures,
      edit: () => void editInput({ screen, terminal, notice }),
      nextMode: () => mode.change(nextMode(mode.current())),
    }),
  });
  const showQuestion = (question: string): ((answer: string) => void) => {
    notifier?.notify('Lainclaw has a question');
    const id = add({ kind: 'drawn', text: question });
    return (answer) => screen.put({ kind: 'drawn', id, text: `${question}\n${colors.dim(answer)}` });
  };
  const person = createPerson({
    colors,
    setPrompt: (prompt, when) => screen.setPrompt(prompt, when),
    clearPrompt: () => screen.clearPrompt(),
    show(question) {
      conversation?.hideRunning();
      const answered = showQuestion(question);
      return (answer) => {
        answered(answer);
        conversation?.showRunning();
      };
    },
  });
  const { runtime, workspace, turn, ask, ...chosenSession } = await options.open(person, notice);
  ({ sessionKey, newSession } = chosenSession);
  const { root } = workspace.files;
  const put = (entry: Entry): void => screen.put(entry);
  const parts = createMessageParts({
    root,
    terminal,
    insert(text) {
      screen.editor.insertTextAtCursor(text);
      screen.refresh();
    },
    notice,
    add,
    put,
    now,
  });
  runtime.extractInBackground(() => {});
  const { notify = 'bell', notifyAfterSeconds = 10 } = runtime.config;
  notifier = createNotifier({
    kind: notify,
    afterMs: notifyAfterSeconds * 1_000,
    write: (data) => device.write(data),
    now,
  });

  // Read for every call of a turn: a key pressed while it runs holds from the next call on.
  mode = {
    current: () => chosen.now().mode ?? turn.mode,
    change: (next) => void chosen.change({ mode: next }),
  };
  const modelName = (): string => {
    const own = chosenModel(chosen.now(), turn.provider);
    const provider = own?.provider ?? turn.provider;
    const model = own?.name ?? turn.model ?? answeredBy ?? '';
    return model.startsWith(`${provider}/`) ? model : [provider, model].filter(Boolean).join('/');
  };
  const operating = { runtime, signal: leaving.signal, workspace: root, warn: notice };
  const elsewhere = createAskedElsewhere({
    colors,
    person,
    show: showQuestion,
    answer: async (questionId, answer) => (await following).answer(questionId, answer),
  });
  const commands = createAllCommands({
    operating,
    elsewhere,
    root,
    workspace,
    turn,
    chosen,
    person,
    usage: () => usage,
    conversation: () => conversation,
    send: (text) => conversation?.send(text),
    sessionKey: () => sessionKey,
    warn: notice,
    onNewConversation() {
      newSession = false;
      context = undefined;
    },
    showSize,
    switchTo,
    leave: () => void leave(EXIT.done),
    signal: leaving.signal,
  });
  const talk = createConversation({
    ask: async (request, signal) => {
      const asked = isContinue(request.input) ? { ...request, input: '', continues: true } : request;
      return watchContext(await ask(asked, signal), showSize);
    },
    request: async () => ({ ...turnSettings({ turn, groups: false }, chosen.now()), mode, sessionKey, newSession }),
    ...parts,
    readCommand: (text) => (isContinue(text) ? undefined : readCommand(text, commands.list)),
    steer: (turnId, message) => void runtime.hub.steer(turnId, message),
    add,
    put,
    remove: (id) => screen.remove(id),
    nextId,
    giveBack: (text) => screen.editor.setText([text, screen.editor.getExpandedText()].filter(Boolean).join('\n')),
    onChange: () => screen.refresh(),
    onEnd(result, tookMs) {
      newSession = false;
      notifier?.notify('Lainclaw has ended the turn');
      usage = addUsage(usage, result.usage);
      if (result.toolCalls.length > 0 && result.usage) notice(turnFigures(tookMs, result.usage));
      answeredBy = result.model ?? answeredBy;
      if (result.success && runtime.config.modelTitles !== false) void giveTitle();
    },
    now,
  });
  conversation = talk;
  const files = createFileIndex({ listFiles: (signal) => listFiles(root, signal), signal: leaving.signal, now });
  files.refresh();
  const completion = createCompletion({ commands: commands.list, root, findFiles: files.find });
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
    .then(async (isOpen) => {
      if (!isOpen) return leave(EXIT.cancelled);
      await askTrust(person, { workspace, trust: runtime.trust }, leaving.signal);
      for (const problem of await commands.loadCustom()) notice(problem);
      void askAboutContradictions();
    })
    .catch((error: Error) => {
      if (!leaving.signal.aborted) add({ kind: 'failure', text: error.message });
    });
  talk.holdUntil(opened);
  const following = opened.then(() => runtime.followQuestions(elsewhere.take, leaving.signal));
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

  /** Nobody waits for it, and a memory that cannot be read says so where it is used. */
  async function askAboutContradictions(): Promise<void> {
    if (runtime.config.memoryFacts === false) return;
    const lines = await contradictionLines(operating).catch(() => []);
    if (!leaving.signal.aborted) for (const line of lines) notice(printable(line));
  }

  /** Beside whatever comes next: nobody waits for a title, and a failure leaves the one there is. */
  async function giveTitle(): Promise<void> {
    const settings = turnSettings({ turn, groups: false }, chosen.now());
    const asked = { ...settings, sessionKey, newSession: false, input: '', attachments: [] };
    try {
      const made = await workspace.conversations.title(asked, leaving.signal);
      if (!made) return;
      usage = addUsage(usage, made.usage);
      screen.refresh();
      const { title, replaces } = made;
      await (await runtime.sessionChanges()).rename(made.sessionKey, title, { signal: leaving.signal, replaces });
    } catch {
      // It is left, or could not be stored.
    }
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
    // Where a home cannot be written there is no lock to look under.
    const cutShort = await runtime.sessions.findCutShort(sessionKey).catch(() => undefined);
    if (cutShort) add({ kind: 'answer', text: interruption(cutShort), isPlain: false });
    for (const text of sentBefore(shown.messages)) screen.editor.addToHistory(text);
    return true;
  }
}

function statusOf({ turn }: Conversation, isAsking: boolean, time: number): string | undefined {
  const manner = turn?.isCancelling ? 'cancelling' : isAsking ? 'asking' : 'running';
  return turn && statusLine(turn.view.activity, time - turn.startedAt, manner);
}
