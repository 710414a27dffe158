// A redirection of the syntax tree → what it opens, and for what.
import type { Redirection as RedirectionNode } from 'unbash';
import { type Redirection, spellWord } from './command.ts';
import { readParts, readSingleWord, type WordReader } from './read-word.ts';
import { Unreadable } from './reading.ts';

export function readRedirection(node: RedirectionNode, reader: WordReader): Redirection {
  if (node.descriptor?.type === 'FileDescriptorVariable') reader.onHazard(`assigns to ${node.descriptor.name}`);
  const descriptor = node.descriptor?.type === 'FileDescriptor' ? String(node.descriptor.value) : '';
  if (node.type === 'HereDoc') {
    if (!node.closing) throw new Unreadable('a here-document has no end');
    const { text, parts } = node.body;
    const content = parts ? readParts(parts, text, reader) : ({ kind: 'static', text } as const);
    return { access: 'inline', text: `${descriptor}<<${node.delimiter?.text ?? ''}`, content };
  }
  if (!node.target) throw new Unreadable('a redirection has no target');
  const target = readSingleWord(node.target, reader);
  const text = `${descriptor}${node.operator} ${spellWord(target)}`;
  if (node.type === 'HereString') return { access: 'inline', text, content: target };
  switch (node.operator) {
    case '<':
      return { access: 'read', text, target };
    case '>>':
    case '&>>':
      return { access: 'append', text, target };
    case '<&':
    case '>&':
      if (target.kind === 'static' && /^(?:\d+-?|-)$/.test(target.text))
        return { access: 'duplicate', text: `${descriptor}${node.operator}${target.text}` };
      // Bash expands this word twice: what it says the first time can be a command the second time.
      if (!/^[\w./-]+$/.test(node.target.text)) throw new Unreadable('the target of >& is expanded twice');
      return { access: 'write', text, target };
    default:
      return { access: 'write', text, target };
  }
}
