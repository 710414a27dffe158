// The contract of a tool: what a call is, what it returns, and what a tool may be given.
import type { FileHandle } from 'node:fs/promises';
import type { Language } from '../config/settings.ts';
import type { AskForm } from '../mcp/elicitation.ts';
import type { Changes } from '../undo/changes.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { MemoryReader } from '../vocabulary/memory-scope.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Delegation } from './delegation.ts';
import type { SeenFiles } from './fs/seen.ts';
import type { JsonSchema } from './json-schema.ts';
import type { NetworkRequest } from './network/network-request.ts';
import type { HidesPath } from './permissions/hides-path.ts';
import type { KeptPicture, ToolPicture } from './pictures.ts';
import type { SessionProcesses } from './shell/session-processes.ts';
import type { ToolSubject } from './subject.ts';
import type { SearchWithModel } from './web/model-search.ts';

export type ToolEffect = 'read' | 'write' | 'exec' | 'send';
/** Who makes a call, in our own programs. */
export const TOOL_SOURCES = ['ask', 'model', 'cli', 'console', 'mcp', 'schedule', 'subagent'] as const;
/** One of these, or the name that another program gives to its own calls. */
export type ToolSource = (typeof TOOL_SOURCES)[number] | (string & Record<never, never>);
export type ToolErrorCode = 'tool_not_found' | 'invalid_args' | 'execution_error';
export type ToolFailureReason = 'denied' | 'timeout' | 'cancelled' | 'limit' | 'interrupted';

export type ToolArgs = Record<string, unknown>;

export interface ToolCall {
  id: string;
  name: string;
  args: ToolArgs;
  source: ToolSource;
}

export interface ToolError {
  code: ToolErrorCode;
  message: string;
  reason?: ToolFailureReason;
}

export interface ToolMeta {
  durationMs: number;
  /** The result was reused from an identical call earlier in this session. */
  cached?: true;
  /** It holds content that somebody else wrote: what follows in this turn needs a person's approval. */
  tainted?: true;
  /** Where that content came from. */
  taintedBy?: readonly TaintSource[];
  /** What the model saw was cut; the whole is in this file. */
  fullOutputPath?: string;
  [key: string]: unknown;
}

export type ToolResult = (
  | { ok: true; data: unknown; meta: ToolMeta }
  | { ok: false; error: ToolError; data?: unknown; meta: ToolMeta }
) & {
  /** Each in a file. A model that can see is shown them. */
  pictures?: readonly KeptPicture[];
};

/** What a tool hands back: `data` for programs, `text` for models (by default the data as JSON). */
export interface ToolOutput {
  data: unknown;
  text?: string;
  /** Bounded by the executor in size and number. The model is shown them where it can see. */
  pictures?: readonly ToolPicture[];
  meta?: Record<string, unknown>;
}

/** What a call would do, for the person who is asked to permit it. */
export interface ToolPreview {
  /** One line: what would be done, and to what. */
  summary: string;
  /** Exactly what would happen: a unified diff, or the beginning of a new file. */
  text: string;
  /** What would change, relative to the workspace and with links resolved. */
  paths: string[];
  /** The text is only a beginning; the arguments of the call hold the rest. */
  isCut?: true;
}

/**
 * For a command that outlives its call: from now on what it writes is remembered as fetched, where it may fetch (`from`) or unpacks. Call
 * the returned function once it has ended, with where it has fetched from: it also remembers the clones that the command has made.
 */
export type RememberFetched = (
  from: readonly TaintSource[],
) => Promise<(fetchedFrom: readonly TaintSource[]) => Promise<void>>;

export interface TaintedCall {
  sources: readonly TaintSource[];
}

/** As a model sees it: its name on the wire, and its texts in the owner's language. */
export interface FoldedTool {
  name: string;
  description: string;
  inputSchema: object;
}

export interface ToolContext {
  workspace: Workspace;
  /** The asker: memory is read and saved in this name. */
  reader: MemoryReader;
  /** What this session last saw of each file. */
  seen: SeenFiles;
  /** Where content from outside came from that these files hold, relative to the root; for a tool that finds out what it has read. */
  taintOfFiles?(paths: Iterable<string>): Promise<readonly TaintSource[]>;
  /** The same for a program that may have read any file of the workspace. */
  taintOfAnyFile?(): Promise<readonly TaintSource[]>;
  /** Records every change to a file before it is made, so that it can be undone. */
  changes: Changes;
  /** Fires on the tool's timeout and when the turn is cancelled. A tool must stop soon after. */
  signal: AbortSignal;
  /** Milliseconds since the epoch; tools never read the clock themselves. */
  now(): number;
  /** Of what the tool answers in words; English by default. */
  language?: Language;
  /** The call runs unasked because it only reads: what it runs must not be able to do more. */
  onlyReads?: true;
  /** Starts other turns in the name of this one; absent where there is no turn. */
  delegation?: Delegation;
  /** The search of the web of the turn's own model; absent where there is no turn. */
  searchWithModel?: SearchWithModel;
  /** Set when deny rules keep files from being read: a result must not hold them, nor may what is run find them. */
  hides?: HidesPath;
  /** Content from outside that the call may carry on; absent: there is none in the turn, nor in what the call reads. */
  tainted?: TaintedCall;
  /** Protected paths, absolute, that the call may change, because a person approved it or the turn is their own. */
  approvedPaths?: readonly string[];
  /** Remembers as fetched what a command with network writes after its call. */
  rememberFetched?: RememberFetched;
  /** The network that was permitted for this call; absent: none. */
  network?: NetworkRequest;
  /** The commands in the background of this session; absent where there can be none. */
  processes?: SessionProcesses;
  /** Puts a form to the person who answers permission questions; absent where nobody can fill one in. */
  askForm?: AskForm;
  /** The tools of this turn that the model was only told by name. */
  foldedTools?(): Promise<readonly FoldedTool[]>;
  /** Shows a person what a long call is doing. The model never sees it. */
  progress(text: string): void;
  /** A path that does not exist yet, for what is too much to keep in memory. */
  spoolPath(): Promise<string>;
  /** A path that does not exist yet, for a file that the call leaves; it is kept as long as the session is. */
  keptPath(name: string): Promise<string>;
  /** Opens an output of this session that was kept, by the path that its result named; undefined for every other path. The caller closes it. */
  openKept?(path: string): Promise<FileHandle | undefined>;
  /** Why a file that a person sent in this session is not in the workspace. */
  problemOfSentFile?(path: string): string | undefined;
  /** Cleaning up that may continue after the result. It must not reject; the next call waits for it. */
  afterwards(work: Promise<void>): void;
}

export interface ToolSpec {
  name: string;
  aliases?: readonly string[];
  /** Of a tool from elsewhere; the language files describe our own. */
  description?: string;
  /** Strict JSON Schema 2020-12 of an object. Descriptions are added from the language files. */
  inputSchema: JsonSchema;
  effect: ToolEffect;
  /**
   * It starts turns of its own, judged there: to the record it may have done anything, so no call of it is ever repeated. The
   * innermost of nested turns does not have it.
   */
  startsTurns?: true;
  /** Runs of sub-agents in the background do not have it: nobody reads along there. */
  onlyInForeground?: true;
  /** Rarely needed: a model sees its name only, and finds the rest with `tool_search`. */
  isFolded?: true;
  /** It ends planning: it exists in plan mode only. */
  endsPlan?: true;
  requiresPermission: boolean;
  /** A person approves each call, in every mode: no rule, no earlier answer and no mode replaces the question. */
  alwaysAsks?: true;
  /** What it does stays and is followed later (memory, schedules, work in the background): in a tainted turn a person is asked. */
  lasts?: true;
  /**
   * Whether what this call runs cannot get out of the workspace: it is in a sandbox, without network. Absent: it can. A write of
   * the workspace's files needs no such word.
   */
  isContained?(args: ToolArgs, context: ToolContext): Promise<boolean>;
  /** The command line by which a person trusts it, for those who would otherwise be asked. */
  trustCommand?: string;
  /** What a call with these arguments touches: the policy judges that. It is pure, and receives validated arguments only. */
  subject(args: ToolArgs): ToolSubject;
  /** What the rules of permissions.json can say about this tool; by default a pattern is one of paths. */
  rules?: ToolRules;
  /**
   * Its subject is a path of the workspace, and it tells what is in files or only their names. Deny rules on reading hold for
   * it, and what `context.hides` names is left out of its result.
   */
  handlesFiles?: 'contents' | 'names';
  timeoutMs: number;
  /** Where the arguments choose how long a call may take. */
  timeoutOf?(args: ToolArgs): number;
  /** Why the tool cannot be used here; undefined when it can. Absent: it always can. */
  unavailable?(): Promise<string | undefined>;
  /**
   * Present on a read-only tool whose result may be reused within a session: names the state of everything the
   * result depends on (file identity, size, mtime). Undefined: this call is not to be reused.
   */
  fingerprint?(args: ToolArgs, context: ToolContext): Promise<string | undefined>;
  /** What the call would do now, without doing any of it. Throws ToolFailure where executing it would. */
  preview?(args: ToolArgs, context: ToolContext): Promise<ToolPreview>;
  /** Throws ToolFailure for what the caller should see; anything else that is thrown is a defect. */
  execute(args: ToolArgs, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolRules {
  /** What the parentheses of a rule, `name(pattern)`, hold. */
  pattern: 'command' | 'path' | 'url' | 'chat' | 'host';
  /**
   * A path rule on this tool is about the files themselves: deny and ask rules hold for whatever reads or changes them, a shell
   * command for example. Only `write` also opens: a file that may be written may be written by a command too.
   */
  governs?: 'read' | 'change' | 'write';
}

export interface ToolFailureOptions {
  code?: Exclude<ToolErrorCode, 'tool_not_found'>;
  reason?: ToolFailureReason;
  output?: ToolOutput;
  cause?: unknown;
}

/** A failure that the caller of the tool sees: the message says what went wrong and what to do. */
export class ToolFailure extends CodedError<Exclude<ToolErrorCode, 'tool_not_found'>> {
  readonly reason: ToolFailureReason | undefined;
  /** What there is to show in spite of the failure. */
  readonly output: ToolOutput | undefined;

  constructor(message: string, options: ToolFailureOptions = {}) {
    super(options.code ?? 'execution_error', message, options.cause);
    this.reason = options.reason;
    this.output = options.output;
  }
}
