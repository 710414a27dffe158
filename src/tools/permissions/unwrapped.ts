// What a wrapper such as `env` or `sh -c` turns out to start.
import type { Assignment, Context, SimpleCommand, Word } from './command.ts';

export type Inner =
  | { kind: 'command'; words: readonly Word[]; assignments: readonly Assignment[]; how?: Context }
  | { kind: 'script'; text: string; how?: Context };

export interface Unwrapped {
  inner: readonly Inner[];
  /** What it runs that is not in its words. */
  unseen?: string;
  /** How it changes what names mean from here on. */
  redefines?: string;
  /** Why starting it is more than starting the inner commands. */
  hazards: readonly string[];
}

export type Wrapper = Pick<SimpleCommand, 'program' | 'words' | 'redirections' | 'pipedFrom'>;
