// Walks the syntax tree of a script and notes every simple command in it: through pipes, lists, groups, conditions, loops,
// functions, substitutions and here-documents. Stops with Unreadable where the tree cannot be trusted.
import type { CommandNode, ParsedScript, Statement } from 'unbash';
import { requireComplete } from './check-complete.ts';
import type { Context, SimpleCommand } from './command.ts';
import { readCommand } from './read-command.ts';
import { readConstruct, readLoop } from './read-construct.ts';
import { readVariables } from './read-variables.ts';
import { type BashSyntax, type Notes, type Place, Unreadable, within } from './reading.ts';

export function createNotes(syntax: BashSyntax): Notes {
  const notes: Notes = {
    syntax,
    commands: [],
    redefines: [],
    unseen: [],
    readText: (text, place) => void readText(text, place, notes),
    readScript: (script, place) => readScript(script, place, notes),
  };
  return notes;
}

/** Reads a text as a script of its own: the command itself, or what `bash -c` is given. */
export function readText(source: string, place: Omit<Place, 'source' | 'variables'>, notes: Notes): ParsedScript {
  const script = notes.syntax.parse(source);
  readScript(script, { ...place, source, variables: readVariables(script, notes.syntax) }, notes);
  return script;
}

function readScript(script: ParsedScript, place: Place, notes: Notes): void {
  const [error] = script.errors ?? [];
  if (error) throw new Unreadable(`the shell syntax is not complete: ${error.message}`);
  const source = script.source ?? place.source;
  requireComplete(script, source, notes.syntax);
  readStatements(script.commands, { ...place, source }, notes);
}

function readStatements(statements: readonly Statement[], place: Place, notes: Notes): void {
  for (const { command, background } of statements)
    readNode(command, background ? within(place, 'background') : place, notes);
}

function readNode(node: Statement['command'], place: Place, notes: Notes): void {
  const list = ({ commands }: { commands: readonly Statement[] }, context?: Context): void =>
    readStatements(commands, context ? within(place, context) : place, notes);
  switch (node.type) {
    case 'AndOr':
      for (const command of node.commands) readNode(command, place, notes);
      break;
    case 'Pipeline':
      readPipeline(node.commands, place, notes);
      break;
    case 'Command':
      readCommand(node, place, notes);
      break;
    case 'Redirected':
      readConstruct('redirect', { redirects: node.redirects }, place, notes);
      readNode(node.command, place, notes);
      break;
    case 'Subshell':
      list(node.body, 'subshell');
      break;
    case 'BraceGroup':
      list(node.body);
      break;
    case 'If':
      for (const branch of [node, ...node.elif]) {
        list(branch.clause, 'condition');
        list(branch.then, 'condition');
      }
      if (node.else) list(node.else, 'condition');
      break;
    case 'While':
      list(node.clause, 'loop');
      list(node.body, 'loop');
      break;
    case 'For':
    case 'Select':
      readStatements(node.body.commands, readLoop(node, place, notes), notes);
      break;
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update])
        if (part) readConstruct('((', { nodes: [part] }, place, notes);
      list(node.body, 'loop');
      break;
    case 'Case':
      readConstruct('case', { nodes: [node.word, ...node.items.flatMap(({ pattern }) => pattern)] }, place, notes);
      for (const { body } of node.items) list(body, 'condition');
      break;
    case 'TestCommand':
      readConstruct('[[', { nodes: [node.expression] }, place, notes);
      break;
    case 'ArithmeticCommand':
      if (!node.expression && node.body.trim() !== '') throw new Unreadable('an arithmetic command could not be read');
      readConstruct('((', { nodes: node.expression ? [node.expression] : [] }, place, notes);
      break;
    case 'Function':
      notes.redefines.push(`defines the function ${node.name.text}`);
      if (node.body.type === 'CompoundList') list(node.body, 'function');
      else readNode(node.body, within(place, 'function'), notes);
      break;
    case 'Coproc':
      notes.redefines.push('starts a coprocess');
      if (node.body.type === 'CompoundList') list(node.body, 'coproc');
      else readNode(node.body, within(place, 'coproc'), notes);
      break;
    default:
      throw new Unreadable('a part of the text is of an unknown kind');
  }
}

function readPipeline(commands: readonly CommandNode[], place: Place, notes: Notes): void {
  const [only] = commands;
  // `time` and `!` make a pipeline of a single command.
  if (only && commands.length === 1) return void readNode(only, place, notes);
  let pipedFrom: SimpleCommand | undefined;
  for (const node of commands) {
    const here = { ...within(place, 'pipe'), pipedFrom };
    if (node.type === 'Command') pipedFrom = readCommand(node, here, notes);
    else {
      readNode(node, here, notes);
      pipedFrom = undefined;
    }
  }
}
