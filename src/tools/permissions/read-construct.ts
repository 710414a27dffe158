// The shell's own constructs ([[ ]], (( )), for, case, a redirected group) as commands: they too hold words, paths and hazards.
import type { For, Redirection as RedirectionNode, Select, SyntaxNode } from 'unbash';
import type { Redirection, Word } from './command.ts';
import { createWordReader } from './read-command.ts';
import { readRedirection } from './read-redirection.ts';
import { readInside, readSingleWord, readWord, type WordReader } from './read-word.ts';
import { type Notes, note, type Place, within } from './reading.ts';

export function readConstruct(
  program: string,
  { nodes = [], redirects = [] }: { nodes?: readonly SyntaxNode[]; redirects?: readonly RedirectionNode[] },
  place: Place,
  notes: Notes,
): void {
  const hazards: string[] = [];
  const reader = createWordReader(place, notes, hazards);
  const redirections = redirects.map((child) => readRedirection(child, reader));
  const words = nodes.flatMap((child) => readTest(child, reader));
  noteConstruct({ program, words, redirections, hazards, at: nodes[0] ?? redirects[0] }, place, notes);
}

/** Returns the place inside the loop, where the variable is known to hold one of the words. */
export function readLoop({ type, name, wordlist }: For | Select, place: Place, notes: Notes): Place {
  const hazards: string[] = [];
  const reader = createWordReader(place, notes, hazards);
  const words: Word[] = wordlist
    ? wordlist.flatMap((word) => readWord(word, reader))
    : [{ kind: 'dynamic', text: '"$@"', prefix: '', from: ['environment'], splits: true }];
  const program = type === 'For' ? 'for' : 'select';
  const all: Word[] = [{ kind: 'static', text: name.text }, ...words];
  noteConstruct({ program, words: all, redirections: [], hazards, at: name }, place, notes);
  const values = words.flatMap((word) =>
    word.kind === 'one-of' ? word.options : word.kind === 'dynamic' ? [] : [word],
  );
  // Only a variable that nothing else in this text sets certainly holds one of the words.
  const isFree = type === 'For' && !place.variables.has(name.text);
  const known = isFree && words.every((word) => word.kind !== 'dynamic');
  const areNames =
    isFree && words.every((word) => word.kind === 'dynamic' && word.from.every((from) => from === 'names'));
  const variables = new Map(place.variables).set(name.text, known ? values : areNames ? 'names' : 'output');
  return { ...within(place, 'loop'), variables };
}

/** The words of a [[ ]], minding the operators that evaluate their operands as arithmetic or as a name. */
function readTest(node: SyntaxNode, reader: WordReader): Word[] {
  if (node.type === 'Word') return [readSingleWord(node, reader)];
  if (!node.type.startsWith('Test')) {
    readInside(node, reader);
    return [];
  }
  if (node.type === 'TestUnary' && /^-[vR]$/.test(node.operator))
    reader.onHazard('looks a variable up by a computed name');
  if (node.type === 'TestBinary' && /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
    const plain = [node.left, node.right].every((word) => /^"?(?:-?\d+|\$[?#])"?$/.test(word.text));
    if (!plain) reader.onHazard('evaluates a word as arithmetic');
  }
  const words: Word[] = [];
  reader.syntax.forEachChild(node, (child) => words.push(...readTest(child, reader)));
  return words;
}

interface Construct {
  program: string;
  words: readonly Word[];
  redirections: readonly Redirection[];
  hazards: readonly string[];
  at: { pos: number; end: number } | undefined;
}

function noteConstruct({ program, words, redirections, hazards, at }: Construct, place: Place, notes: Notes): void {
  note(notes, {
    program,
    words: [{ kind: 'static', text: program }, ...words],
    assignments: [],
    redirections,
    context: place.context,
    via: place.via,
    source: at ? place.source.slice(at.pos, at.end) : program,
    pipedFrom: undefined,
    starts: 'nothing',
    hazards,
  });
}
