// Proof that the parser dropped nothing: every character of a script belongs to a word or redirection of its tree, or is
// blank, a comment, an operator or a keyword. Whatever is left over was skipped silently, and the text cannot be judged.
import type { ParsedScript, SyntaxNode } from 'unbash';
import { type BashSyntax, Unreadable } from './reading.ts';

const LEAVES = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'TestCommand',
  'ArithmeticCommand',
  'Time',
]);
const BETWEEN =
  /^(?:[ \t\n]|\\\n|;;&|;&|;;|;|&&|\|\||\|&|&|\||[(){}!]|(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|coproc)(?![\w-]))*$/;

export function requireComplete(script: ParsedScript, source: string, syntax: BashSyntax): void {
  const spans: [number, number][] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'HereDoc') {
      spans.push([node.pos, node.end], [node.body.pos, node.closing?.end ?? node.body.end]);
    } else if (LEAVES.has(node.type)) spans.push([node.pos, node.end]);
    else {
      if (node.type === 'ArithmeticFor') spans.push([node.pos, source.indexOf('))', node.update?.end ?? node.pos) + 2]);
      syntax.forEachChild(node, visit);
    }
  };
  visit(script);
  spans.sort((a, b) => a[0] - b[0]);
  let position = script.pos;
  for (const [start, end] of spans) {
    if (start > position) requireEmpty(source, position, start);
    position = Math.max(position, end);
  }
  requireEmpty(source, position, script.end);
}

function requireEmpty(source: string, start: number, end: number): void {
  // A comment starts where a word could: after a blank, an operator, or at the start.
  const between = source.slice(start, end);
  const before = start === 0 ? '\n' : source.slice(start - 1, start);
  const bare = `${before}${between}`.replace(/([ \t\n;&|(])#[^\n]*/g, '$1').slice(1);
  if (!BETWEEN.test(bare)) throw new Unreadable('part of the text was not understood');
}
