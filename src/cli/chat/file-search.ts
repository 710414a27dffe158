// Finds files by some letters of their paths, in their order. The name of a file counts before its folders, letters that stand together before
// scattered ones, short paths before long ones. A query that continues the one before looks only at what that one found.
//
// Made here because it must take a few milliseconds and little memory for 100,000 files, with every key: of the libraries that were measured on
// them (fuzzysort, fzf, the terminal library's own) each takes 200 ms and more for the first letter, or 200 MB.

export interface FileSearch {
  add(path: string): void;
  readonly size: number;
  /** The best `most` of them, the best first. */
  find(query: string, most: number): string[];
}

interface Found {
  index: number;
  score: number;
}

const TIER = 1_000_000;
const NOT_FOUND = -1;

export function createFileSearch(): FileSearch {
  const paths: string[] = [];
  const lower: string[] = [];
  /** Where the name begins in each path. */
  const names: number[] = [];
  const letters: number[] = [];
  const all: number[] = [];
  let last: { query: string; found: readonly number[]; size: number } | undefined;

  return {
    add(path) {
      const text = path.toLowerCase();
      all.push(paths.length);
      paths.push(path);
      lower.push(text);
      names.push(text.lastIndexOf('/') + 1);
      letters.push(lettersOf(text));
    },
    get size() {
      return paths.length;
    },
    find(typed, most) {
      const query = typed.toLowerCase();
      const among = last?.size === paths.length && query.startsWith(last.query) ? last.found : all;
      const matching: number[] = [];
      const wanted = lettersOf(query);
      let best: Found[] = [];
      let worst = Number.POSITIVE_INFINITY;
      for (const index of among) {
        if (((letters[index] as number) & wanted) >>> 0 !== wanted) continue;
        const score = scoreOf(lower[index] as string, names[index] as number, query);
        if (score === NOT_FOUND) continue;
        matching.push(index);
        if (score >= worst) continue;
        best.push({ index, score });
        if (best.length < most * 4) continue;
        best = leading(best, most);
        worst = best.at(-1)?.score ?? worst;
      }
      last = { query, found: matching, size: paths.length };
      return leading(best, most).map(({ index }) => paths[index] ?? '');
    },
  };
}

function leading(found: Found[], most: number): Found[] {
  return found.sort((a, b) => a.score - b.score || a.index - b.index).slice(0, most);
}

/** A bit for each letter and digit that is in it: most paths are ruled out by one comparison. */
function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits >>> 0;
}

/** The smaller, the better. */
function scoreOf(path: string, nameAt: number, query: string): number {
  const inName = path.indexOf(query, nameAt);
  if (inName === nameAt) return path.length;
  if (inName > nameAt) return TIER + path.length;
  if (path.includes(query)) return 2 * TIER + path.length;
  const ofName = spread(path, nameAt, query);
  if (ofName !== NOT_FOUND) return 3 * TIER + ofName * 100 + path.length;
  const ofPath = spread(path, 0, query);
  return ofPath === NOT_FOUND ? NOT_FOUND : 4 * TIER + ofPath * 100 + path.length;
}

/** Over how many characters the letters are scattered: up to their first end, and from there back as far as they need. */
function spread(path: string, from: number, query: string): number {
  let end = from - 1;
  for (let letter = 0; letter < query.length; letter += 1) {
    end = path.indexOf(query.charAt(letter), end + 1);
    if (end < 0) return NOT_FOUND;
  }
  let begin = end;
  for (let letter = query.length - 2; letter >= 0; letter -= 1) {
    begin = path.lastIndexOf(query.charAt(letter), begin - 1);
  }
  return end - begin;
}
