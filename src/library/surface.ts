// The types of the library: what `import … from 'lainclaw'` promises, under semantic versioning. They are written apart from
// the types inside, which may change; library.ts is where the compiler checks that the inside still fits.
import type { JsonSchema } from '../tools/json-schema.ts';
import type { ArgsOf } from '../tools/schema-args.ts';
import type { ToolSubject } from '../tools/subject.ts';

export type { JsonSchema, ToolSubject };

export interface RuntimeOptions {
  /** Where Lainclaw keeps its files; by default LAINCLAW_HOME, otherwise ~/.lainclaw. One home can be used by many processes. */
  home?: string;
  /** What relative paths start at; by default the working directory of the process. */
  cwd?: string;
  /** Environment variables; by default those of the process. */
  variables?: Readonly<Record<string, string | undefined>>;
  /** Tools of your own, made with `defineTool`; they are there in every workspace. */
  tools?: readonly Tool[];
  /** Something that you should know and that changes nothing; by default a warning of the process. */
  onWarning?(text: string): void;
}

/** One for each home a process uses. */
export interface Runtime {
  readonly home: string;
  /** Rejects when the directory cannot be used, or when a tool of yours has a name that is taken. */
  openWorkspace(options?: WorkspaceOptions): Promise<Workspace>;
  /** Runs an operation of docs/operations.md; its input and output have the schemas that are listed there. */
  invoke(operation: string, input?: Readonly<Record<string, unknown>>, options?: InvokeOptions): Promise<unknown>;
  /** Cancels what runs, closes every workspace, then everything else. Nothing can be asked afterwards. */
  close(): Promise<void>;
}

export interface InvokeOptions {
  signal?: AbortSignal;
  /** The directory whose files the operation concerns; by default the configured workspace. */
  workspace?: string;
  onProgress?(progress: { done: number; total: number }): void;
}

export interface WorkspaceOptions {
  /** The directory that file tools are confined to; by default the configured one, otherwise `cwd`. */
  root?: string;
  /** The address of an openai-compatible server, when it is not the configured one. */
  baseUrl?: string;
  /** Decides about calls that need permission. Without it they are refused. */
  askPermission?(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
}

export interface Workspace {
  readonly root: string;
  /** Begins a turn. Rejects with a code when the request cannot be accepted; what fails later is in the turn's result. */
  ask(request: string | AskRequest): Promise<Turn>;
  /** Cancels the turns that run in it and resolves when they have ended. */
  close(): Promise<void>;
}

/** What is left out is as `config.json` has it. */
export interface AskRequest {
  input: string;
  /** Names the conversation: `main` by default. */
  sessionKey?: string;
  /** Starts a new conversation under this key. */
  newSession?: boolean;
  provider?: string;
  profile?: string;
  model?: string;
  /** How long the model thinks before it answers, where it can think. */
  effort?: 'off' | 'minimal' | 'low' | 'medium' | 'high';
  /** Text files and pictures (base64) that the question is about. */
  attachments?: readonly Attachment[];
  /** Told to the model beside its own prompt. */
  instructions?: string;
  /** Memory of this session; by default as the session has it. */
  memory?: boolean;
  /** True by default. */
  withTools?: boolean;
  /** Only these tools exist; all of them by default. */
  toolAllow?: readonly string[];
  /** Model calls in the turn; 25 by default. */
  toolMaxSteps?: number;
  /**
   * `ask` (default) asks `askPermission`; `accept-edits` asks about all but edits of ordinary files; `plan` only reads; `auto` allows
   * what a person would be asked about; `never` refuses it.
   */
  mode?: 'ask' | 'accept-edits' | 'plan' | 'auto' | 'never';
  /** The older name of `mode`. */
  approval?: 'ask' | 'auto' | 'never';
  /** Caps of this turn; those of the day are in config.json. */
  maxTokens?: number;
  maxCostUsd?: number;
  /** Cancels the turn. */
  signal?: AbortSignal;
}

export type Attachment =
  | { kind: 'text'; name: string; text: string }
  | { kind: 'image'; name: string; mimeType: string; data: string };

/** The events of a turn, to be read once. Leaving them early cancels the turn. */
export interface Turn extends AsyncIterable<TurnEvent> {
  /** Reads what is left to the end. Rejects when the turn was left before. */
  result(): Promise<TurnResult>;
}

/** Where a recalled text is: `id` in the archive, whose it is, and when it was said. */
export interface RecalledMemory {
  id?: string;
  source: string;
  scope: string;
  date?: string;
}

/** Newer versions may add kinds: pass over the ones you do not know. */
export type TurnEvent =
  | { type: 'run-start'; requestId: string; sessionKey: string; provider: string }
  /** Another turn of this session is running; this one waits for it. */
  | { type: 'waiting' }
  | { type: 'notice'; text: string }
  /** What was found in memory for the question and given to the model. */
  | { type: 'recalled'; items: readonly RecalledMemory[]; tokens: number }
  | { type: 'model-start'; provider: string; model?: string }
  | { type: 'thinking-delta'; text: string }
  | { type: 'text-delta'; text: string }
  /** What was streamed since the last tool or the start is void: the model is asked again. */
  | { type: 'text-restart'; reason: string; waitMs: number }
  | { type: 'model-end'; provider: string; model?: string; usage?: Usage; durationMs: number }
  | { type: 'tool-start'; call: ToolCall }
  /** What a running call shows meanwhile; the model does not see it. */
  | { type: 'tool-output'; call: ToolCall; text: string }
  | { type: 'tool-end'; call: ToolCall; result: ToolResult }
  | { type: 'run-end'; result: TurnResult };

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  costUsd?: number;
}

interface TurnFacts {
  requestId: string;
  sessionKey: string;
  sessionId: string;
  /** Where the turn ended. */
  stage: 'answered' | 'tool-limit' | 'stopped' | 'failed' | 'cancelled';
  /** The answer. */
  result: string;
  provider?: string;
  model?: string;
  toolResults: readonly { call: ToolCall; result: ToolResult }[];
  usage?: Usage;
}

export type TurnResult =
  | ({ success: true } & TurnFacts)
  | ({ success: false; error: { code: string; message: string } } & TurnFacts);

export interface ToolCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

export type ToolResult = (
  | { ok: true; data: unknown }
  | { ok: false; error: { code: string; message: string; reason?: string }; data?: unknown }
) & { pictures?: readonly { mediaType: string; path: string; isForPerson?: true }[] };

export interface PermissionQuestion {
  call: ToolCall;
  /** Why it is not simply allowed. */
  reasons: readonly string[];
  /** Exactly what would happen, where the tool can tell: a unified diff, for example. */
  preview?: { summary: string; text: string; paths: readonly string[] };
}

/**
 * `session` holds for the conversation, `always` is kept in permissions.json; both only where the call touches something that a
 * rule can name. For a tool of yours, which other processes do not have, `always` holds for the conversation.
 */
export type PermissionAnswer = 'once' | 'session' | 'always' | 'no';

/** Made by `defineTool`. */
export interface Tool {
  readonly name: string;
}

export interface ToolDefinition<Schema extends JsonSchema> {
  /** Letters, digits, `_`, `-` and `.`, at most 64, beginning with a letter; not beginning with `mcp__`. */
  name: string;
  /** What the model reads about it. */
  description: string;
  /** Its arguments: checked before `execute` sees them, and the type of what it gets. */
  schema: Schema;
  /** What it does at most. Whatever does more than read needs permission unless `requiresPermission` is false. */
  effect: 'read' | 'write' | 'exec' | 'send';
  requiresPermission?: boolean;
  /** A minute by default. */
  timeoutMs?: number;
  /** What a call touches, so that the rules of permissions.json hold for it; by default nothing that a rule could name. */
  subject?(args: ArgsOf<Schema>): ToolSubject;
  /** Throws ToolFailure to speak to the model; anything else thrown is a defect, which the model is not told. */
  execute(args: ArgsOf<Schema>, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolContext {
  readonly workspace: { readonly root: string };
  /** Fires on the timeout and when the turn is cancelled: stop soon after. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Shows what a long call is doing, as `tool-output`. */
  progress(text: string): void;
}

export interface ToolOutput {
  /** For programs. */
  data: unknown;
  /** For the model; by default the data as JSON. */
  text?: string;
  /**
   * PNG, JPEG, GIF or WebP, in base64 or as a file that stays: shown to a model that can see. At most 8, of 5 MB each. A chat
   * also gets those that are for the person.
   */
  pictures?: readonly (({ mediaType: string; data: string } | { mediaType: string; path: string }) & {
    isForPerson?: true;
  })[];
}

export interface ToolFailureOptions {
  /** `invalid_args`: the caller can do better. */
  code?: 'invalid_args' | 'execution_error';
  cause?: unknown;
}

/** A failure that the model sees: the message says what went wrong and what to do. */
export type ToolFailureClass = new (message: string, options?: ToolFailureOptions) => Error & { readonly code: string };
