// Cuts the inside of a paragraph between words. Emphasis or a link that spans the cut is closed before and opened again
// after it: the text is taken apart into words that each know what they stand within.
import type { Token } from 'marked';
import type { Room } from './room.ts';

interface Wrapper {
  open: string;
  close: string;
}

interface Atom {
  source: string;
  units: number;
  entities: number;
  within: readonly Wrapper[];
  isBlank: boolean;
}

const WORD_UNITS = 512;

export function splitInline(tokens: readonly Token[], room: Room): string[] {
  const atoms = tokens.flatMap((token) => atomsOf(token, []));
  const parts: Atom[][] = [];
  let current: Atom[] = [];
  let units = 0;
  let entities = 0;
  for (const atom of atoms) {
    const opened = atom.within.filter((wrapper) => !current.at(-1)?.within.includes(wrapper));
    const cost = atom.entities + opened.length;
    if (current.length > 0 && (units + atom.units > room.units || entities + cost > room.entities)) {
      const kept = atom.isBlank ? current : upToLastWord(current);
      parts.push(kept);
      current = current.slice(kept.length);
      units = current.reduce((sum, each) => sum + each.units, 0);
      entities = current.reduce((sum, each) => sum + each.entities + each.within.length, 0);
    }
    if (current.length === 0 && atom.isBlank) continue;
    units += atom.units;
    entities += current.length === 0 ? atom.entities + atom.within.length : cost;
    current.push(atom);
  }
  if (current.length > 0) parts.push(current);
  return parts.map(assembled).filter((part) => part.trim() !== '');
}

/** Parts of a word that are marked differently stay together, when there is a blank not far before. */
function upToLastWord(atoms: Atom[]): Atom[] {
  const blank = atoms.findLastIndex(({ isBlank }) => isBlank);
  return blank > atoms.length / 2 ? atoms.slice(0, blank + 1) : atoms;
}

function atomsOf(token: Token, within: readonly Wrapper[]): Atom[] {
  const inner = (wrapper: Wrapper): Atom[] =>
    childrenOf(token).flatMap((child) => atomsOf(child, [...within, wrapper]));
  const whole = (units: number, entities: number): Atom => ({
    source: token.raw,
    units,
    entities: entities === 0 ? 0 : entities + within.length,
    within,
    isBlank: false,
  });
  switch (token.type) {
    case 'strong':
      return inner({ open: token.raw.slice(0, 2), close: token.raw.slice(-2) });
    case 'em':
      return inner({ open: token.raw.slice(0, 1), close: token.raw.slice(-1) });
    case 'del': {
      const mark = token.raw.startsWith('~~') ? '~~' : '~';
      return inner({ open: mark, close: mark });
    }
    case 'link': {
      if (!token.raw.startsWith('[')) return [whole(token.raw.length, 1)];
      // Where words are not made a link, the address is written behind them.
      return [
        ...inner({ open: '[', close: `](<${token.href}>)` }),
        { ...whole(0, 0), source: '', units: token.href.length + 3 },
      ];
    }
    case 'image':
      return [whole(token.text.length + token.href.length + 3, 1)];
    case 'codespan': {
      if (token.text.length <= WORD_UNITS) return [whole(token.text.length, 1)];
      const longest = Math.max(0, ...Array.from(token.text.matchAll(/`+/g), ([run]) => run.length));
      const fence = '`'.repeat(longest + 1);
      return wordsOf(token.text, [...within, { open: `${fence} `, close: ` ${fence}` }]);
    }
    case 'br':
      return [{ ...whole(1, 0), isBlank: true }];
    case 'text':
      return childrenOf(token).length > 0
        ? childrenOf(token).flatMap((child) => atomsOf(child, within))
        : wordsOf(token.raw, within);
    default:
      return wordsOf(token.raw, within);
  }
}

function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token && token.tokens ? token.tokens : [];
}

function wordsOf(raw: string, within: readonly Wrapper[]): Atom[] {
  return raw
    .split(/(\s+)/)
    .filter((word) => word !== '')
    .flatMap((word) => cutLong(word))
    .map((source) => ({ source, units: source.length, entities: 0, within, isBlank: source.trim() === '' }));
}

function cutLong(word: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (word.length - from > WORD_UNITS) {
    const to = from + WORD_UNITS - (/[\uDC00-\uDFFF]/.test(word[from + WORD_UNITS] ?? '') ? 1 : 0);
    pieces.push(word.slice(from, to));
    from = to;
  }
  return [...pieces, word.slice(from)];
}

function assembled(part: readonly Atom[]): string {
  const last = part.findLastIndex(({ isBlank }) => !isBlank);
  const atoms = part.slice(0, last + 1);
  let source = '';
  let open: readonly Wrapper[] = [];
  for (const atom of atoms) {
    const kept = open.findIndex((wrapper, depth) => atom.within[depth] !== wrapper);
    const common = kept < 0 ? open.length : kept;
    source += closing(open.slice(common));
    source += atom.within
      .slice(common)
      .map((wrapper) => wrapper.open)
      .join('');
    source += atom.source;
    open = atom.within;
  }
  return escapedStart(source + closing(open));
}

function closing(wrappers: readonly Wrapper[]): string {
  return wrappers
    .map(({ close }) => close)
    .reverse()
    .join('');
}

/** A word at the start of a part must not turn into a list, a heading or a quote. */
function escapedStart(source: string): string {
  if (/^(#{1,6}\s|[-+*]\s|>|```|~~~|\||[-=*_]{3,}\s*$)/m.test(source.split('\n')[0] ?? '')) return `\\${source}`;
  return source.replace(/^(\d{1,9})([.)])(?=\s)/, '$1\\$2');
}
