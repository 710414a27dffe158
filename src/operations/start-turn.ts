// Starting a turn without reading it: its events are read from the hub.
import type { Config } from '../config/config.ts';
import { MODES } from '../config/mode.ts';
import { inboxPath, keepFile, keptFileLine, safeName } from '../gateway/chats/keep-file.ts';
import { modeOfOthers } from '../gateway/chats/mode-of-others.ts';
import { readSentFile } from '../gateway/chats/read-sent-file.ts';
import { OWNER_ID } from '../gateway/console-access/console-access.ts';
import { newSessionKey, personChat } from '../gateway/console-access/own-sessions.ts';
import type { AskRequest } from '../gateway/gateway.ts';
import { filesTooLarge } from '../gateway/uploads/uploads.ts';
import { newId } from '../lib/new-id.ts';
import type { Attachment } from '../pipeline/attachments.ts';
import type { RunEvent } from '../pipeline/events.ts';
import { askedCaps, askedProvider, turnSources } from '../runtime/asked-turn.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { NotAllowed } from '../vocabulary/not-allowed.ts';
import { INBOX } from '../vocabulary/received-files.ts';
import { type TaintSource, taintSource } from '../vocabulary/taint-source.ts';
import { defineOperation, type InputOf, type OperationContext } from './operation.ts';
import { ATTACHMENT, listOf, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const MAX_STEPS = 25;
const MOST_FILES = 20;
/** Of the files of one message together: all of them are in memory while it is prepared. */
const MOST_FILE_BYTES = 50 * 1024 * 1024;

const INPUT = {
  type: 'object',
  properties: {
    session: { ...TEXT, description: 'the key of the session; a new one by default' },
    text: TEXT,
    files: {
      ...listOf(TEXT),
      maxItems: MOST_FILES,
      description:
        'ids of uploads: kept in the workspace under inbox/, and attached where a model can read them; of the owner also paths below inbox/, which an earlier question named',
    },
    attachments: { ...listOf(ATTACHMENT), description: 'texts and pictures that the question is about' },
    mode: { enum: MODES, description: 'what needs permission' },
    model: { ...TEXT, description: 'a model, or provider/model' },
    effort: { enum: ['off', 'minimal', 'low', 'medium', 'high'], description: 'how long the model thinks' },
    memory: { ...YES_OR_NO, description: 'memory of the session; by default as the session has it' },
    continue: { ...YES_OR_NO, default: false, description: 'continue the last turn where it stopped; takes no text' },
  },
  additionalProperties: false,
} as const;

export const startTurn = defineOperation({
  name: 'turns.start',
  class: 'change',
  people: 'own',
  summary:
    'Start a turn: ask a question in a session. Resolves at once; the turn runs by itself and its events are read by its id.',
  input: INPUT,
  output: objectWith({ session: TEXT, turn: TEXT }),
  run: (input, context) => beginTurn(input, context),
});

/** `origin`: what the turn answers, in the account of somebody else. */
export async function beginTurn(
  input: InputOf<typeof INPUT>,
  context: OperationContext,
  { origin }: { origin?: string } = {},
): Promise<{ session: string; turn: string }> {
  const { runtime, opened } = context;
  const person = context.by?.place === 'console' ? context.by.person : undefined;
  if (person !== undefined && input.model !== undefined) throw new NotAllowed('choosing the model', 'for the owner');
  const { text = '', mode = 'ask', continue: continues } = input;
  const { session = newSessionKey(person, newId('').slice(1, 11)) } = input;
  const workspace = opened ?? (await runtime.openWorkspace({ root: context.workspace }));
  const turn = newId('turn');
  const sent = await takeUploads(input.files ?? [], person ?? OWNER_ID, context, workspace);
  const taintedBy = [...(person === undefined ? [] : [taintSource('message')]), ...sent.taintedBy];
  const { ask } = await workspace.gateway();
  // As config.json is now: what was set up or changed a moment ago is used.
  const config = await runtime.currentConfig();
  const request: AskRequest = {
    ...(await chosenModel(input, { runtime, config, workspace })),
    turnId: turn,
    input: [text, ...sent.lines].filter((part) => part.trim() !== '').join('\n\n'),
    ...(continues && { continues }),
    attachments: [...((input.attachments ?? []) as Attachment[]), ...sent.attachments],
    ...(sent.paths.length > 0 && { sentFiles: sent.paths }),
    sessionKey: session,
    newSession: false,
    effort: input.effort,
    memory: input.memory,
    memoryDefault: config.memory,
    withTools: true,
    toolMaxSteps: MAX_STEPS,
    mode: person === undefined ? mode : modeOfOthers(mode),
    caps: askedCaps({}, config),
    answering: {},
    ...(person !== undefined && ofPerson(person)),
    ...(taintedBy.length > 0 && { taintedBy }),
    ...(origin !== undefined && { origin }),
  };
  const events = await ask(request, new AbortController().signal);
  void titleAfterwards(events, request, workspace, context).catch(() => {});
  return { session, turn };
}

/** The model writes a title once the turn has ended; where it cannot, the first words stay the title. */
async function titleAfterwards(
  events: AsyncIterable<RunEvent>,
  { turnId: _, ...request }: AskRequest,
  { conversations }: RuntimeWorkspace,
  { runtime, onTitled }: OperationContext,
): Promise<void> {
  let isAnswered = false;
  for await (const event of events) if (event.type === 'run-end') isAnswered = event.result.success;
  if (!isAnswered || runtime.config.modelTitles === false) return;
  const { signal } = new AbortController();
  const made = await conversations.title(request, signal);
  if (!made) return;
  const { sessionKey, title, replaces } = made;
  await (await runtime.sessionChanges()).rename(sessionKey, title, { signal, replaces });
  onTitled?.(sessionKey);
}

/** As a message of somebody else in a chat: with a memory of their own, and nothing of the owner's. */
function ofPerson(person: string): Partial<AskRequest> {
  const chat = personChat(person);
  return { chat, asker: { kind: 'chat', chat, scope: `person:${chat}` } };
}

interface TakenUploads {
  attachments: Attachment[];
  /** What the question says of each file. */
  lines: string[];
  /** Where they are in the workspace; none of people other than the owner. */
  paths: string[];
  /** Nobody knows who wrote the files. */
  taintedBy: TaintSource[];
}

/** Rejects with FILE_UNREADABLE or FILES_TOO_LARGE, and keeps nothing then: the person sends the message again without that file. */
async function takeUploads(
  ids: readonly string[],
  person: string,
  { runtime, signal }: OperationContext,
  { files }: RuntimeWorkspace,
): Promise<TakenUploads> {
  const taken: TakenUploads = { attachments: [], lines: [], paths: [], taintedBy: [] };
  if (ids.length === 0) return taken;
  const uploads = await runtime.uploads();
  // Everybody's turns read the workspace: what another person sends is in their conversation alone.
  const isKept = person === OWNER_ID;
  const toKeep: { path: string; bytes: Buffer }[] = [];
  let left = MOST_FILE_BYTES;
  for (const id of ids) {
    const isThere = isKept && id.startsWith(`${INBOX}/`);
    const { name, content: bytes } = isThere
      ? { name: id, content: await readKept(id, left, files, signal) }
      : await uploads.read(id, person, left);
    left -= bytes.length;
    const inbox = isThere ? id : inboxPath({ name, id }, { now: runtime.environment.now(), scope: 'owner' });
    const path = isKept ? inbox : safeName(name);
    const content = await readSentFile(path, bytes, signal);
    if (content.kind === 'unreadable') throw unreadable(name, content.reason);
    if (content.kind === 'not-attached' && !isKept) throw unreadable(name, `it is ${content.reason}`);
    if (content.kind === 'read') taken.attachments.push(...content.attachments);
    taken.lines.push(isKept ? keptFileLine(path, content) : `[file ${path}]`);
    taken.taintedBy.push(taintSource('file', path));
    if (isKept && !isThere) toKeep.push({ path, bytes });
  }
  for (const { path, bytes } of toKeep) {
    await keepFile(path, bytes, { workspace: files, maxBytes: bytes.length }, signal);
    taken.paths.push(path);
  }
  return taken;
}

/** A file of an earlier question, which the owner asks again. */
async function readKept(path: string, most: number, files: RuntimeWorkspace['files'], signal: AbortSignal) {
  const opened = await files.openFile(path, signal).catch((error: Error) => {
    throw unreadable(path, error.message);
  });
  try {
    if (opened.size > most) throw filesTooLarge();
    return await opened.handle.readFile();
  } finally {
    await opened.handle.close();
  }
}

function unreadable(name: string, reason: string): CodedError {
  return new CodedError('FILE_UNREADABLE', `${safeName(name)} cannot be read: ${reason}`);
}

async function chosenModel(
  { model }: { model?: string },
  { runtime, config, workspace }: Pick<OperationContext, 'runtime'> & { config: Config; workspace: RuntimeWorkspace },
): ReturnType<typeof askedProvider> {
  const defaultProvider = async (): Promise<string> =>
    config.isProviderSet ? config.provider : runtime.defaultProvider();
  return askedProvider({ model }, turnSources({ ...runtime, config, defaultProvider }, workspace));
}
