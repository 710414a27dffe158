// The notes taken while one command text is read. They live for one call of the parser and are never shared.
import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Context, GlobWord, SimpleCommand, StaticWord } from './command.ts';

/** The two functions of `unbash`; handed in so that the library loads only when a command is read. */
export interface BashSyntax {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

export interface Notes {
  syntax: BashSyntax;
  /** Reads a script found inside another one. */
  readScript(script: ParsedScript, place: Place): void;
  /** Reads a text that a wrapper would hand to a shell. */
  readText(text: string, place: Place): void;
  commands: SimpleCommand[];
  redefines: string[];
  unseen: string[];
}

/** Where in the text we are. */
export interface Place {
  /** The text that positions in the tree refer to. */
  source: string;
  context: readonly Context[];
  via: readonly string[];
  /** Scripts and wrappers around this place. */
  depth: number;
  /** What variables can hold here. */
  variables: Variables;
  pipedFrom: SimpleCommand | undefined;
}

/** 'output': set from something only known when it runs. 'names': from paths that a lister printed. Without an entry: not set by this command at all. */
export type Variables = ReadonlyMap<string, readonly (StaticWord | GlobWord)[] | 'output' | 'names'>;

/** The text cannot be judged. Only the reader of a whole command text catches it. */
export class Unreadable extends Error {}

export const MAX_DEPTH = 8;
const MAX_COMMANDS = 300;

export function within(place: Place, context: Context): Place {
  return { ...place, context: [...place.context, context], pipedFrom: undefined };
}

export function deeper(place: Place, wrapper?: string): Place {
  if (place.depth >= MAX_DEPTH) throw new Unreadable(`commands are nested more than ${MAX_DEPTH} deep`);
  return { ...place, depth: place.depth + 1, via: wrapper === undefined ? place.via : [...place.via, wrapper] };
}

export function note(notes: Notes, command: SimpleCommand): void {
  if (notes.commands.length >= MAX_COMMANDS) throw new Unreadable(`more than ${MAX_COMMANDS} commands`);
  notes.commands.push(command);
}
