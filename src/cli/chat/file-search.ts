// Finds files by some letters of their paths, in their order. The name of a file counts before its folders, letters that stand together before
// scattered ones, short paths before long ones. A query that continues the one before looks only at what that one did not rule out.
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
      if (query === '') return paths.slice(0, most);
      const among = last?.size === paths.length && query.startsWith(last.query) ? last.found : all;
      const matching: number[] = [];
      const wanted = lettersOf(query);
      let best: Found[] = [];
      let worst = Number.POSITIVE_INFINITY;
      for (const index of among) {
        if (((letters[index] as number) & wanted) >>> 0 !== wanted) continue;
        const score = scoreOf(lower[index] as string, names[index] as number, query, worst);
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

/** The smaller, the better. NOT_FOUND without the letters; `worst` where it cannot be below that, whether they are there or not. */
function scoreOf(path: string, nameAt: number, query: string, worst: number): number {
  const inName = path.indexOf(query, nameAt);
  if (inName === nameAt) return path.length;
  if (inName > nameAt) return TIER + path.length;
  if (worst <= 2 * TIER) return worst;
  if (path.includes(query)) return 2 * TIER + path.length;
  if (worst <= 3 * TIER) return worst;
  const closest = (query.length - 1) * 100 + path.length;
  const nameEnd = endOf(path, nameAt, query);
  if (nameEnd >= 0) {
    return 3 * TIER + closest >= worst ? worst : 3 * TIER + spread(path, nameEnd, query) * 100 + path.length;
  }
  if (4 * TIER + closest >= worst) return worst;
  const end = endOf(path, 0, query);
  return end < 0 ? NOT_FOUND : 4 * TIER + spread(path, end, query) * 100 + path.length;
}

/** Where the letters, one after the other from `from` on, have all been met first; negative where they are not. */
function endOf(path: string, from: number, query: string): number {
  let end = from - 1;
  for (let letter = 0; letter < query.length; letter += 1) {
    end = path.indexOf(query.charAt(letter), end + 1);
    if (end < 0) return NOT_FOUND;
  }
  return end;
}

/** Over how many characters the letters are scattered that end there. */
function spread(path: string, end: number, query: string): number {
  let begin = end;
  for (let letter = query.length - 2; letter >= 0; letter -= 1)
    begin = path.lastIndexOf(query.charAt(letter), begin - 1);
  return end - begin;
}
