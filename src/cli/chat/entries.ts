// What a chat shows, one entry a block of the screen. Texts are as they came: the code that draws them makes them harmless.
import type { ToolCall, ToolResult } from '../../tools/tool.ts';

export type Entry =
  | { kind: 'user'; id: number; text: string; attached: readonly string[] }
  /** Of the model, as Markdown; `isPlain`: results of tools that were called by hand. */
  | { kind: 'answer'; id: number; text: string; isPlain: boolean }
  /** Of the model before it answers or calls, where the provider shows it. */
  | { kind: 'thought'; id: number; text: string; isOver: boolean }
  | { kind: 'tool'; id: number; call: ToolCall; output: string; end: ToolEnd }
  /** A command that the person ran with `!`. */
  | { kind: 'shell'; id: number; command: string; output: string; end: ShellEnd }
  /** Of a command, as Markdown. */
  | { kind: 'reply'; id: number; text: string }
  /** Coloured and harmless already: a question, the head of the chat. */
  | { kind: 'drawn'; id: number; text: string }
  | { kind: 'notice'; id: number; text: string }
  | { kind: 'warning'; id: number; text: string }
  | { kind: 'failure'; id: number; text: string };

export type ToolEnd = { state: 'running' } | { state: 'ended'; result: ToolResult } | { state: 'cut-short' };

export type ShellEnd = { state: 'running' } | { state: 'ended'; code: number; wasStopped: boolean; durationMs: number };

export type ShellEntry = Extract<Entry, { kind: 'shell' }>;

export type ThoughtEntry = Extract<Entry, { kind: 'thought' }>;

export type ToolEntry = Extract<Entry, { kind: 'tool' }>;

/** An entry before it has its place. */
export type NewEntry = Entry extends infer Each ? (Each extends Entry ? Omit<Each, 'id'> : never) : never;
