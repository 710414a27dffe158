// The blocks of the conversation, the newest last. Old ones are let go of: the terminal's scrollback keeps what they showed.
import type { Colors } from '../colors.ts';
import { type Block, createBlock } from './block.ts';
import type { Entry } from './entries.ts';

/** These stand close together. */
const SMALL: ReadonlySet<Entry['kind']> = new Set(['tool', 'thought', 'notice', 'warning']);

export interface Transcript {
  /** Adds the entry, or shows what it has become. */
  put(entry: Entry): void;
  remove(id: number): void;
  lines(width: number): string[];
  /** Lets go of blocks that lie wholly in the first `lines` lines; returns how many lines are gone. */
  drop(lines: number, width: number): number;
}

interface Placed {
  block: Block;
  hasGap: boolean;
}

export function createTranscript(colors: Colors, isUnfolded: (kind: Entry['kind']) => boolean): Transcript {
  let placed: Placed[] = [];
  const linesOf = ({ block, hasGap }: Placed, width: number): string[] => {
    const lines = block.render(width);
    return hasGap && lines.length > 0 ? ['', ...lines] : lines;
  };

  return {
    put(entry) {
      const known = placed.findLast(({ block }) => block.id === entry.id);
      if (known) return known.block.update(entry);
      const before = placed.at(-1)?.block.kind;
      const isClose = before !== undefined && SMALL.has(before) && SMALL.has(entry.kind);
      placed.push({ block: createBlock(entry, colors, isUnfolded), hasGap: !isClose });
    },
    remove(id) {
      placed = placed.filter(({ block }) => block.id !== id);
    },
    lines: (width) => placed.flatMap((each) => linesOf(each, width)),
    drop(lines, width) {
      let gone = 0;
      let count = 0;
      for (const each of placed.slice(0, -1)) {
        const size = linesOf(each, width).length;
        if (gone + size > lines) break;
        gone += size;
        count += 1;
      }
      placed = placed.slice(count);
      return gone;
    },
  };
}
