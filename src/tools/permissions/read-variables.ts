// What the variables of a script can hold, without following its flow: every fixed value a variable is given anywhere, and
// the empty text for the places where it is not set yet. A variable set in any other way holds unknown output.
import type { ParsedScript, SyntaxNode, Word as WordNode } from 'unbash';
import type { StaticWord } from './command.ts';
import type { BashSyntax, Variables } from './reading.ts';

/** Builtins that can set any variable, in ways that are not followed here. */
const SETTERS = /^(?:mapfile|readarray|getopts|declare|typeset|local|export|readonly|let|unset|wait|eval|source|\.)$/;

export function readVariables(script: ParsedScript, syntax: BashSyntax): Variables {
  const variables = new Map<string, StaticWord[] | 'output'>();
  const loops = new Set<string>();
  /** A variable is set whose name only running would tell: any of them can be it. */
  let computed = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment') {
      const value = node.append || node.index ? undefined : fixedText(node.value);
      const known = variables.get(node.name) ?? [{ kind: 'static', text: '' }];
      variables.set(
        node.name,
        value === undefined || known === 'output' ? 'output' : [...known, { kind: 'static', text: value }],
      );
    } else if (node.type === 'For') {
      // Within its loop the variable is known; a second loop over the same name makes it unknown everywhere.
      if (loops.has(node.name.text)) variables.set(node.name.text, 'output');
      loops.add(node.name.text);
    } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      if (node.operation.operator.endsWith('=')) variables.set(node.parameter, 'output');
    } else if (node.type === 'Command') {
      const words = [...(node.name ? [node.name] : []), ...node.args].flatMap((word) =>
        word.type === 'Word' ? [word.value] : [],
      );
      computed ||= setsAny(words);
      // Also behind a wrapper: builtin read name.
      if (words.includes('read'))
        for (const word of words) if (/^[A-Za-z_]\w*$/.test(word)) variables.set(word, 'output');
    }
    syntax.forEachChild(node, visit);
  };
  visit(script);
  // A loop variable that is also assigned, or used after its loop, holds whatever was last put there.
  for (const name of [...loops, ...variables.keys()])
    if (computed || (loops.has(name) && variables.has(name))) variables.set(name, 'output');
  return variables;
}

function setsAny([name = '', ...words]: readonly string[]): boolean {
  const isComputed = (word: string): boolean => /[$`{]/.test(word);
  if (isComputed(name) || SETTERS.test(name)) return true;
  if (name === 'builtin' || name === 'command') return setsAny(words);
  if (name === 'read') return words.some(isComputed);
  return (name === 'printf' && (words[0] ?? '').startsWith('-v')) || (name === 'printf' && isComputed(words[0] ?? ''));
}

function fixedText(value: WordNode | { type: 'ArrayValue' }): string | undefined {
  if (value.type !== 'Word') return undefined;
  const fixed = value.parts?.every(
    (part) =>
      part.type === 'SingleQuoted' ||
      (part.type === 'Literal' && !/[$`\\]/.test(part.text)) ||
      (part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')),
  );
  return fixed || (!value.parts && !/[$`\\]/.test(value.text)) ? value.value : undefined;
}
