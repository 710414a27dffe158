// What a turn is asked with, what it stands on, and what its steps share.

import type { Adapter, ModelDescription, ModelMessage, ModelTool } from '../adapters/adapter.ts';
import type { Effort } from '../config/effort.ts';
import type { Mode } from '../config/mode.ts';
import type { Language } from '../config/settings.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { SessionMessage } from '../sessions/lines.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Turn } from '../sessions/turn.ts';
import type { SessionNotes } from '../storage/storage.ts';
import type { Executor } from '../tools/executor.ts';
import type { TurnMode } from '../tools/permissions/mode.ts';
import type { Registry } from '../tools/registry.ts';
import type { Taint } from '../tools/taint.ts';
import type { ToolSource } from '../tools/tool.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import type { Asker } from '../vocabulary/asker.ts';
import type { MemoryReader } from '../vocabulary/memory-scope.ts';
import type { RecalledItem } from '../vocabulary/recalled.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import type { Attachment } from './attachments.ts';
import type { Caps } from './budget.ts';
import type { DayBudget } from './day-budget.ts';
import type { RunEvent } from './events.ts';
import type { Grants } from './grants.ts';
import type { TurnQuestions } from './questions.ts';
import type { Steering } from './steering.ts';
import type { UsageLedger } from './usage.ts';

export interface RunRequest {
  requestId: string;
  /** Names the turn in the hub, in the transcript and for undo. */
  turnId: string;
  createdAt: string;
  input: string;
  attachments: readonly Attachment[];
  /** Files of the workspace that came with the message, by their paths. */
  sentFiles?: readonly string[];
  sessionKey: string;
  newSession: boolean;
  /** Nobody will continue its session: the index does not hold it. */
  unlisted?: boolean;
  profileId?: string;
  model?: string;
  /** How long the model thinks, where it can; the provider's own default when absent. */
  effort?: Effort;
  /** Absent: as the session has it. */
  memory?: boolean;
  /** Of a session that has decided nothing yet. */
  memoryDefault?: boolean;
  withTools: boolean;
  toolAllow?: readonly string[];
  toolMaxSteps: number;
  /** How what would ask is treated; one that can change holds from the next call on. */
  mode: Mode | TurnMode;
  /** Where content from outside came from that is in it from the start. */
  taintedBy?: readonly TaintSource[];
  /** The owner's own words to the model, beside its prompt. */
  system?: string;
  /** Told to the model beside its own prompt: what a sub-agent is. */
  instructions?: string;
  /** Who makes the model's calls, in the record; the model by default. */
  callSource?: ToolSource;
  /** Where background work that is started here answers unless it names a chat, as `channel:chatId`. */
  chat?: string;
  /** Who asks, which decides where that work may answer; nobody by default. */
  asker?: Asker;
  /** How many messages of its session the model sees, questions and answers; all that fit by default. */
  historyMessages?: number;
  /** Turns that this one was started from. */
  depth?: number;
  /** The turn that waits for this one. */
  parentId?: string;
  /** Somebody who reads the turn answers its questions; without it, what needs a person's approval is refused. */
  answering?: { /** Without an answer for so long, the answer is no. */ expiresMs?: number };
  /**
   * The conversation up to and with the question, where the caller keeps it: it is sent in place of what the session holds, and `input` is
   * only for the record and for what is remembered.
   */
  history?: readonly ModelMessage[];
  /** Tools of the caller, which the model is offered beside ours. A call of one ends the turn: the caller runs it and asks again. */
  callerTools?: readonly ModelTool[];
  /** There is no input: the session's last turn is continued where it stopped. */
  continues?: boolean;
  caps: Caps;
  /** What this turn answers; journalled, so that after a restart the turn is found by it. */
  origin?: string;
  /** Asked once the session is locked, before anything of the turn is recorded. False: another process answers, and this turn ends. */
  isStillOurs?(): Promise<boolean>;
}

/** Another turn, through the same door as every other. */
export type AskAgain = (
  request: Omit<RunRequest, 'requestId' | 'turnId' | 'createdAt'> & { provider: string },
  signal: AbortSignal,
) => Promise<AsyncIterable<RunEvent>>;

export interface RunDependencies {
  adapter: Adapter;
  sessions: Sessions;
  /** Of our own words to the model; English by default. */
  language?: Language;
  /** The owner's, where there are any. */
  hooks?: Pick<Hooks, 'tell'>;
  /** The root that turns work in; kept with each session that begins. */
  workspaceRoot?: string;
  toolbox: Toolbox;
  ask: AskAgain;
  /** Puts questions to the readers of the turn; absent when none of them answers. */
  questions?: TurnQuestions;
  /** What people write to the turn while it runs; absent where nobody can. */
  steering?: Steering;
  budget: DayBudget;
  notes: SessionNotes;
  /** Makes a turn of a session that remembers findable later. */
  archiveTurn(
    session: { sessionKey: string; sessionId: string; tainted: boolean; reader: MemoryReader },
    turn: {
      id: string;
      messages: readonly SessionMessage[] /** A person asked, not a job or a sub-agent. */;
      isPersons: boolean;
    },
  ): Promise<void>;
  /** The older part of a conversation was summarised: its facts are extracted without waiting until it rests. */
  conversationCompacted(sessionId: string): Promise<void>;
  /** Called when a turn has ended and its lock is free. */
  onTurnEnd?(): void;
  /** What bears on a question in the memory of the asker; undefined when nothing does. */
  recall(request: {
    question: string;
    reader: MemoryReader;
    /** Messages of this session since this moment are in the request anyway. */
    seen: { sessionId: string; since: string };
    /** Summaries of the session's older part, which are in no archive. */
    notes: readonly { source: string; text: string; tainted: boolean }[];
    signal: AbortSignal;
  }): Promise<{ items: RecalledItem[]; text: string; tainted: boolean } | undefined>;
  /** The most tokens of history that a request carries; the built-in number when absent. */
  historyTokens?: number;
  /** Core memory of the asker, as a model reads it; empty when there is none. */
  coreMemory(reader: MemoryReader): Promise<string>;
  /** What people wrote down for the assistant, and what to tell them about it. `system`: the request's own. */
  instructions(request: {
    isOwner: boolean;
    system?: string;
    signal: AbortSignal;
  }): Promise<{ text: string; notices: string[] }>;
  now(): number;
  newId(prefix: string): string;
  /** Put the provider and profile in front of the answer. */
  debugSource: boolean;
}

/** What the steps of one turn share. */
export interface TurnContext extends RunDependencies {
  request: RunRequest;
  turn: Turn;
  model: ModelDescription;
  /** The tools that exist for this turn. */
  registry: Registry;
  executor: Executor;
  ledger: UsageLedger;
  /** What a person allowed; absent when nobody can be asked. */
  grants: Grants | undefined;
  /** Content from outside in the turn's context. */
  taint: Taint;
  mode: TurnMode;
  signal: AbortSignal;
}
