// Starting another turn from within one: the contract between a tool that delegates and the turn it runs in.
import type { Asker } from '../vocabulary/asker.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';

export interface DelegatedTurn {
  /** Of the sub-agent, for people who watch. */
  name: string;
  instructions: string;
  prompt: string;
  tools: 'all' | readonly string[];
  model?: string;
  /** Set when somebody else wrote the instructions. */
  taintedBy: readonly TaintSource[];
}

interface DelegatedFacts {
  sessionKey: string;
  sessionId: string;
  toolCalls: number;
  stage: string;
  usage?: { inputTokens: number; outputTokens: number; costUsd?: number };
  /** Where content from outside that was part of it came from. */
  taintedBy: readonly TaintSource[];
}

export type DelegatedAnswer = ({ ok: true; text: string } | { ok: false; error: string }) & DelegatedFacts;

/** What a turn that outlives this one takes over from it. */
export interface Inheritance {
  provider: string;
  profileId?: string;
  model?: string;
  /** The tools of this turn, without those that are for turns in the foreground. */
  tools: readonly string[];
  /** Where content from outside in this turn came from. */
  taintedBy: readonly TaintSource[];
  /** Where its answers go unless it names a chat, as `channel:chatId`. */
  chat?: string;
  /** Who this turn was asked by, which decides where they may go. */
  asker?: Asker;
}

export interface Delegation {
  /** Waits for the other turn. It never has more than the turn it is started from. */
  wait(turn: DelegatedTurn, signal: AbortSignal, progress: (text: string) => void): Promise<DelegatedAnswer>;
  inherit(): Inheritance;
}
