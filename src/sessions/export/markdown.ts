// Markdown for people. What was said is in fences longer than any run of backticks inside it, so that no text can
// leave its block; names are put into code spans in the same way.
import { type Block, blocksOf, damageBlock, type LocalClock, type Phrase, sessionBlock } from './blocks.ts';
import type { Exporter } from './exporter.ts';

const STATES = { done: '✓', failed: '✗', unknown: '?' } as const;

export function createMarkdownExporter(clock: LocalClock): Exporter {
  return {
    begin: () => '',
    beginSession: (session) => rendered(sessionBlock(session, clock)),
    item: (item) => blocksOf(item, clock).map(rendered).join(''),
    endSession: (damage) => (damage.count > 0 ? rendered(damageBlock(damage)) : ''),
    end: () => '',
  };
}

function rendered(block: Block): string {
  switch (block.kind) {
    case 'session':
      return `# Session ${span(block.key)}\n\n${block.facts.map((fact) => `- ${phrase(fact)}\n`).join('')}\n`;
    case 'turn':
      return `## ${block.title}\n\n${block.facts.map((fact) => `*${phrase(fact)}*\n\n`).join('')}`;
    case 'speech':
      return `**${block.title}**${aside(block.facts)}\n\n${fence(block.text, 'text')}\n`;
    case 'tool':
      return `**Tool** ${STATES[block.state]} ${span(block.name)}${aside(block.facts)}\n\n${fence(block.args, 'json')}\n${fence(block.result, 'text')}\n`;
    case 'note': {
      const told = block.isWarning ? `> **${phrase(block.phrase)}**` : `*${phrase(block.phrase)}*`;
      return `${told}\n\n${block.text === undefined ? '' : `${fence(block.text, 'text')}\n`}`;
    }
  }
}

function aside(facts: readonly Phrase[]): string {
  return facts.map((fact) => ` · ${phrase(fact)}`).join('');
}

function phrase(parts: Phrase): string {
  return parts.map((part) => (typeof part === 'string' ? part : span(part.value))).join('');
}

export function fence(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${language}\n${text === '' ? '' : `${text}\n`}${marks}\n`;
}

/** One line, whatever it holds. */
export function span(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '(empty)';
  const marks = '`'.repeat(longestRun(line) + 1);
  const pad = marks.length > 1 ? ' ' : '';
  return `${marks}${pad}${line}${pad}${marks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
