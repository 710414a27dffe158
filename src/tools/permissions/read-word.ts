// A word of the syntax tree → the words a program gets. Braces of plain text are expanded, loop variables are replaced by
// what they range over, everything else that only running would tell becomes a dynamic word. Commands inside the word
// are handed to `onScript`, so nothing executable stays hidden in a word.
import type { ParameterExpansionPart, ParsedScript, SyntaxNode, Word as WordNode, WordPart } from 'unbash';
import type { GlobWord, Origin, StaticWord, Word } from './command.ts';
import { type BashSyntax, Unreadable, type Variables } from './reading.ts';

export interface WordReader {
  syntax: BashSyntax;
  variables: Variables;
  /** Returns what a substitution of it is made of. */
  onScript(script: ParsedScript | undefined): 'names' | 'output';
  onHazard(hazard: string): void;
}

type Option = StaticWord | GlobWord;
type Segment =
  | { kind: 'options'; options: readonly Option[]; quoted: boolean }
  | { kind: 'braces'; options: readonly string[] }
  | { kind: 'hole'; from: readonly Origin[]; splits: boolean };

const MAX_OPTIONS = 64;
const EXTENDED_GLOB = 'an extended glob means different things in different shells';
/** Parameters whose value is neither secret nor written by somebody else. */
const SHELL_PARAMETERS =
  /^(?:[?#$!-]|RANDOM|SECONDS|LINENO|PWD|OLDPWD|HOME|USER|LOGNAME|UID|EUID|PPID|HOSTNAME|OSTYPE|MACHTYPE|BASH_VERSION|SHELL|LANG|TERM|PATH|COLUMNS|LINES)$/;

export function readWord(node: WordNode, reader: WordReader): Word[] {
  const segments = segmentsOf(node, reader);
  return expandBraces(segments).map((list) => combine(list, node.text));
}

/** As one word: where the shell expands no braces (assignments, redirections, [[ ]]). */
export function readSingleWord(node: WordNode, reader: WordReader): Word {
  const segments = segmentsOf(node, reader).map(
    (segment): Segment => (segment.kind === 'braces' ? hole('output', true) : segment),
  );
  return combine(segments, node.text);
}

export function readParts(parts: readonly WordPart[], text: string, reader: WordReader): Word {
  return combine(
    parts.flatMap((part) => segmentsOfPart(part, true, reader)),
    text,
  );
}

/** Finds the commands inside a node whose own value does not matter. */
export function readInside(node: SyntaxNode, reader: WordReader): void {
  switch (node.type) {
    case 'Word':
      readSingleWord(node, reader);
      break;
    case 'CommandExpansion':
      reader.onScript(node.script);
      break;
    case 'ProcessSubstitution':
      reader.onScript(node.script);
      break;
    case 'ExtendedGlob':
      throw new Unreadable(EXTENDED_GLOB);
    // What arithmetic finds in a variable or an output it evaluates again: a[$(command)] in there runs the command.
    case 'ArithmeticCommandExpansion':
      reader.onHazard('evaluates output as arithmetic');
      reader.onScript(node.script);
      break;
    default:
      if (node.type === 'ArithmeticWord' && !/^\d+$/.test(node.value))
        reader.onHazard('evaluates a variable as arithmetic');
      reader.syntax.forEachChild(node, (child) => readInside(child, reader));
  }
}

function segmentsOf(node: WordNode, reader: WordReader): Segment[] {
  const { parts } = node;
  if (!parts) {
    requirePlain(node.text);
    return [text(node.value)];
  }
  if (parts.map((part) => part.text).join('') !== node.text)
    throw new Unreadable('a word could not be read completely');
  return parts.flatMap((part) => segmentsOfPart(part, false, reader));
}

function segmentsOfPart(part: WordPart, quoted: boolean, reader: WordReader): Segment[] {
  switch (part.type) {
    case 'Literal':
      requirePlain(part.text);
      return [text(part.value)];
    case 'SingleQuoted':
      return [text(part.value)];
    case 'AnsiCQuoted':
      return [isPlainAnsi(part.text) ? text(part.value) : hole('output', false)];
    case 'DoubleQuoted':
      return part.parts.length ? part.parts.flatMap((child) => segmentsOfPart(child, true, reader)) : [text('')];
    case 'LocaleString':
      reader.onHazard('uses a translated string');
      part.parts.forEach((child) => void segmentsOfPart(child, true, reader));
      return [hole('output', false)];
    case 'Glob':
      if (part.parts) for (const child of part.parts) readInside(child, reader);
      return [{ kind: 'options', options: [{ kind: 'glob', text: part.value }], quoted: true }];
    case 'SimpleExpansion':
      return [variable(part.text.slice(1), quoted, reader)];
    case 'ParameterExpansion':
      return [parameter(part, quoted, reader)];
    case 'CommandExpansion':
      return [hole(reader.onScript(part.script), !quoted)];
    case 'ProcessSubstitution':
      reader.onScript(part.script);
      return [hole('pipe', false)];
    case 'ArithmeticExpansion':
      if (!part.expression) throw new Unreadable('an arithmetic expression could not be read');
      readInside(part.expression, reader);
      return [hole('shell', false)];
    case 'BraceExpansion': {
      if (part.parts) for (const child of part.parts) readInside(child, reader);
      const options = part.parts ? undefined : braceOptions(part.text);
      return [options ? { kind: 'braces', options } : hole('output', true)];
    }
    case 'ExtendedGlob':
      throw new Unreadable(EXTENDED_GLOB);
  }
}

function parameter(part: ParameterExpansionPart, quoted: boolean, reader: WordReader): Segment {
  const { parameter: name, prefix, index, operation } = part;
  if (prefix === '!' || operation?.type === 'Names') reader.onHazard('looks a variable up by a computed name');
  if (operation?.type === 'Unknown') throw new Unreadable('an expansion could not be read');
  if (operation?.type === 'Transform') reader.onHazard('transforms a variable');
  if (operation?.type === 'Default' && operation.operator.endsWith('=')) reader.onHazard(`assigns to ${name}`);
  if (index && !/^(?:\d+|@|\*)$/.test(index.text)) reader.onHazard('computes an array index');
  if (
    operation?.type === 'Slice' &&
    !/^\s*-?\d+(?::-?\d+)?\s*$/.test(part.text.slice(operation.operatorEnd - part.pos, -1))
  )
    reader.onHazard('computes a position in a variable');
  if (/['"\\]/.test(part.text)) reader.onHazard('quotes inside an expansion');
  // Bash takes such quotes away before it looks for expansions: "$""(command)" becomes one.
  if (quoted && /['"]/.test(part.text) && /[$`]/.test(part.text.slice(1)))
    throw new Unreadable('quotes and expansions are mixed inside an expansion');
  if (index) readInside(index, reader);
  const inner: Origin[] = [];
  if (operation) {
    reader.syntax.forEachChild(operation, (child) => {
      if (child.type !== 'Word') return;
      const word = readSingleWord(child, reader);
      if (word.kind === 'dynamic') inner.push(...word.from);
    });
  }
  if (!prefix && !index && !operation) return variable(name, quoted, reader);
  const own = variable(name, true, reader);
  const from = new Set([...(own.kind === 'hole' ? own.from : ['shell' as const]), ...inner]);
  return { kind: 'hole', from: [...from], splits: !quoted || name === '@' || index?.text === '@' };
}

function variable(name: string, quoted: boolean, { variables, onHazard }: WordReader): Segment {
  if (!/^(?:[A-Za-z_]\w*|\d+|[@*#?$!-])$/.test(name)) {
    onHazard('an expansion could not be read');
    return hole('environment', true);
  }
  const values = variables.get(name);
  if (values === 'output' || values === 'names') return hole(values, !quoted);
  if (values) return { kind: 'options', options: values, quoted };
  return hole(SHELL_PARAMETERS.test(name) ? 'shell' : 'environment', !quoted || name === '@');
}

/** {a,b} and {1..9} of plain text; undefined for anything else. */
function braceOptions(source: string): string[] | undefined {
  const inside = source.slice(1, -1);
  const sequence = /^(\d{1,4})\.\.(\d{1,4})$/.exec(inside);
  if (sequence) {
    const [from, to] = [Number(sequence[1]), Number(sequence[2])];
    if (String(from) !== sequence[1] || String(to) !== sequence[2] || Math.abs(to - from) >= MAX_OPTIONS)
      return undefined;
    const step = from <= to ? 1 : -1;
    return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from + index * step));
  }
  return /^[\w./@%+:=,-]*,[\w./@%+:=,-]*$/.test(inside) && !inside.includes('..') ? inside.split(',') : undefined;
}

function expandBraces(segments: readonly Segment[]): Segment[][] {
  let lists: Segment[][] = [[]];
  for (const segment of segments) {
    if (segment.kind !== 'braces') {
      for (const list of lists) list.push(segment);
      continue;
    }
    lists = lists.flatMap((list) => segment.options.map((option) => [...list, text(option)]));
    if (lists.length > MAX_OPTIONS) throw new Unreadable('braces expand to too many words');
  }
  return lists;
}

function combine(segments: readonly Segment[], source: string): Word {
  let options: Option[] = [{ kind: 'static', text: '' }];
  const from = new Set<Origin>();
  let prefix: string | undefined;
  let splits = false;
  for (const segment of segments) {
    const next = segment.kind === 'options' ? usable(segment) : undefined;
    if (!next) {
      splits ||= segment.kind !== 'hole' || segment.splits;
      for (const origin of segment.kind === 'hole' ? segment.from : ['output' as const]) from.add(origin);
      prefix ??= commonPrefix(options);
      continue;
    }
    options = options.flatMap((left) => next.map((right) => join(left, right)));
    if (options.length > MAX_OPTIONS) throw new Unreadable('a word has too many possible values');
  }
  // Text around it would turn a listed path into another one.
  if (from.has('names') && segments.length > 1) from.add('output');
  if (from.size > 0) return { kind: 'dynamic', text: source, prefix: prefix ?? '', from: [...from], splits };
  const [only, ...more] = options;
  return only && more.length === 0 ? only : { kind: 'one-of', text: source, options };
}

/** The values a variable can put here; undefined when the shell would split or match them again. */
function usable({ options, quoted }: Segment & { kind: 'options' }): readonly Option[] | undefined {
  const exact = options.every((option) => option.kind === 'static' && !/[\s*?[\\]/.test(option.text));
  return quoted || exact ? options : undefined;
}

function join(left: Option, right: Option): Option {
  const kind = left.kind === 'glob' || right.kind === 'glob' ? 'glob' : 'static';
  return { kind, text: left.text + right.text };
}

function commonPrefix(options: readonly Option[]): string {
  const [first] = options;
  return options.length === 1 && first?.kind === 'static' ? first.text : '';
}

function text(value: string): Segment {
  return { kind: 'options', options: [{ kind: 'static', text: value }], quoted: true };
}

function hole(from: Origin, splits: boolean): Segment {
  return { kind: 'hole', from: [from], splits };
}

/** A literal in which the parser overlooked an expansion would be a lie: `$` and backticks must be escaped or end it. */
function requirePlain(source: string): void {
  if (/[`$]/.test(source.replace(/\\./gs, '').replace(/\$(?=[\s"'/.,:;=%^~+\]})]|$)/g, '')))
    throw new Unreadable('a word contains an expansion that could not be read');
}

function isPlainAnsi(source: string): boolean {
  return /^\$'(?:[^\\']|\\[\\'"abefnrtv?]|\\x[1-9a-fA-F][0-9a-fA-F]|\\x0[1-9a-fA-F]|\\u00[2-7][0-9a-fA-F])*'$/.test(
    source,
  );
}
