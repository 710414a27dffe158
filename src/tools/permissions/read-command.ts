// One simple command of the tree → its words, assignments and redirections, and everything it would start in turn.
import type { Assignment as AssignmentNode, Command } from 'unbash';
import type { Assignment, SimpleCommand, Word } from './command.ts';
import { listsPaths } from './lists-paths.ts';
import { readRedirection } from './read-redirection.ts';
import { readInside, readSingleWord, readWord, type WordReader } from './read-word.ts';
import { deeper, type Notes, note, type Place, Unreadable, within } from './reading.ts';
import { unwrap } from './unwrap.ts';

export function readCommand(node: Command, place: Place, notes: Notes): SimpleCommand {
  const hazards: string[] = [];
  const reader = createWordReader(place, notes, hazards);
  const assignments = node.prefix
    .filter((child) => child.type === 'Assignment')
    .map((child) => readAssignment(child, reader));
  const words = [...(node.name ? [node.name] : []), ...node.args].flatMap((child) =>
    child.type === 'Assignment' ? [readDeclaration(child, reader)] : readWord(child, reader),
  );
  const redirections = node.redirects.map((child) => readRedirection(child, reader));
  const source = place.source.slice(node.pos, node.end);
  return startCommand({ assignments, words, redirections, source, hazards }, place, notes);
}

/** Reads words at a place; commands inside them are read as part of it. */
export function createWordReader(place: Place, notes: Notes, hazards: string[]): WordReader {
  return {
    syntax: notes.syntax,
    variables: place.variables,
    onHazard: (hazard) => void (hazards.includes(hazard) || hazards.push(hazard)),
    onScript: (script) => {
      if (!script) throw new Unreadable('a substitution could not be read');
      const before = notes.commands.length;
      notes.readScript(script, deeper(within(place, 'substitution')));
      return printsOnlyPaths(notes.commands.slice(before)) ? 'names' : 'output';
    },
  };
}

/** One pipeline, and nothing beside it. */
function printsOnlyPaths(commands: readonly SimpleCommand[]): boolean {
  const last = commands.at(-1);
  if (!last || !listsPaths(last)) return false;
  let length = 0;
  for (let each: SimpleCommand | undefined = last; each; each = each.pipedFrom) length += 1;
  return length === commands.length;
}

type Started = Pick<SimpleCommand, 'assignments' | 'words' | 'redirections' | 'source' | 'hazards'>;

function startCommand(started: Started, place: Place, notes: Notes): SimpleCommand {
  const [name] = started.words;
  const program = name?.kind === 'static' ? name.text : undefined;
  if (name && program === undefined) notes.unseen.push(`the name of the program is computed: ${name.text}`);
  const { context, via, pipedFrom } = place;
  const unwrapped = unwrap({ ...started, program, pipedFrom });
  const starts = unwrapped.inner.length > 0 || unwrapped.unseen !== undefined ? 'others' : 'nothing';
  const hazards = [...started.hazards, ...unwrapped.hazards];
  const command: SimpleCommand = { ...started, program, context, via, pipedFrom, starts, hazards };
  note(notes, command);
  if (unwrapped.unseen !== undefined) notes.unseen.push(unwrapped.unseen);
  if (unwrapped.redefines !== undefined) notes.redefines.push(unwrapped.redefines);
  for (const inner of unwrapped.inner) {
    const there = deeper(inner.how ? { ...place, context: [...context, inner.how] } : place, program);
    if (inner.kind === 'script') notes.readText(inner.text, { ...there, pipedFrom: undefined });
    else {
      const { words, assignments } = inner;
      const source = words.map((word) => word.text).join(' ');
      startCommand({ words, assignments, redirections: [], source, hazards: [] }, there, notes);
    }
  }
  return command;
}

function readAssignment(node: AssignmentNode, reader: WordReader): Assignment {
  if (node.index) {
    readInside(node.index, reader);
    if (!/^\d+$/.test(node.index.text)) reader.onHazard('computes an array index');
  }
  if (node.value.type === 'Word') return { name: node.name, value: readSingleWord(node.value, reader) };
  const words = node.value.elements.flatMap((element) => readWord(element, reader));
  const origins = words.flatMap((word) => (word.kind === 'dynamic' ? word.from : []));
  const from = origins.length > 0 ? [...new Set(origins)] : (['shell'] as const);
  return { name: node.name, value: { kind: 'dynamic', text: node.text, prefix: '', from, splits: true } };
}

/** `export A=b`: an assignment where an argument stands. */
function readDeclaration(node: AssignmentNode, reader: WordReader): Word {
  const { name, value } = readAssignment(node, reader);
  if (value.kind === 'static') return { kind: 'static', text: `${name}=${value.text}` };
  const from = value.kind === 'dynamic' ? value.from : (['shell'] as const);
  return { kind: 'dynamic', text: node.text, prefix: `${name}=`, from, splits: false };
}
