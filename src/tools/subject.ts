// What a call touches. A tool names it from its arguments; the policy judges the subject and knows no tool by name, so a tool
// from elsewhere is judged like our own.

export type Access = 'read' | 'write';

export interface PathSubject {
  /** As the caller gave it; relative to the root of the workspace. */
  path: string;
  access: Access;
}

export type ToolSubject =
  /**
   * A text for bash. `directory`: where it runs, relative to the root of the workspace; the root by default. `network`: hosts that
   * it asks to reach besides those that its text names; absent where the tool gives a command no network. `runs`: how, where it is
   * not a command that ends with its call.
   */
  | {
      kind: 'command';
      command: string;
      directory?: string;
      network?: readonly string[];
      runs?: 'in-background' | 'typed-into-process';
    }
  | ({ kind: 'path' } & PathSubject)
  /** Each is judged by itself, and the strictest verdict holds for the call. */
  | { kind: 'paths'; paths: readonly PathSubject[] }
  | { kind: 'url'; url: string }
  | { kind: 'chat'; channel: string; chatId: string }
  /** What would be done, for a person to approve before anything is. */
  | { kind: 'plan'; plan: string }
  /** Nothing that a rule could name: only the tool itself can be allowed or denied. */
  | { kind: 'none'; network?: readonly string[] };

export function pathsOf(subject: ToolSubject): readonly PathSubject[] {
  if (subject.kind === 'paths') return subject.paths;
  return subject.kind === 'path' ? [subject] : [];
}

/** The `subject` of a tool that touches nothing a rule could name. */
export function noSubject(): ToolSubject {
  return { kind: 'none' };
}
