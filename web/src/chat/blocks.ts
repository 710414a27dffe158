// Markdown that grows: the text is cut into blocks, and only the end is read again when more arrives. Everything before the last
// block that has words in it can no longer change.
import { lexer, type Token } from 'marked';

export interface Block {
  raw: string;
  tokens: readonly Token[];
}

export interface Blocks {
  text: string;
  blocks: readonly Block[];
}

export const NO_BLOCKS: Blocks = { text: '', blocks: [] };

export function growBlocks(before: Blocks, given: string): Blocks {
  const text = given.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const isGrown = text.startsWith(before.text);
  const kept = isGrown ? before.blocks.slice(0, -1) : [];
  const from = kept.reduce((length, { raw }) => length + raw.length, 0);
  return { text, blocks: [...kept, ...blocksOf(text.slice(from))] };
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const token of lexer(text)) {
    const last = blocks.at(-1);
    // Blank lines belong to what is before them: what follows may still be part of it.
    if (token.type === 'space' && last) last.raw += token.raw;
    else blocks.push({ raw: token.raw, tokens: [token] });
  }
  return blocks;
}
