// What a long page shows of itself: its headings, its beginning, and the passages that have the words of the question.

const BEGINNING = 4_000;
const PASSAGES = 12_000;
const HEADINGS = 60;

export function shortened(markdown: string, prompt: string | undefined): string {
  const headings = markdown
    .split('\n')
    .filter((line) => /^#{1,4} /.test(line))
    .slice(0, HEADINGS);
  const parts = markdown.split(/\n{2,}/);
  const beginning = upTo(parts, BEGINNING);
  const found = prompt === undefined ? [] : best(parts.slice(beginning.length), prompt);
  return [
    ...beginning,
    ...(headings.length > 0 ? [`[headings of the whole page]\n${headings.join('\n')}`] : []),
    ...(found.length > 0 ? ['[passages that bear on the prompt]', ...found] : []),
  ].join('\n\n');
}

/** By the words of the prompt that they have, rare ones first; in the order of the page. */
function best(parts: readonly string[], prompt: string): string[] {
  const words = [...new Set(wordsOf(prompt))];
  const own = parts.map((part) => new Set(wordsOf(part)));
  const weight = new Map(
    words.map((word) => [word, Math.log(1 + parts.length / (1 + own.filter((set) => set.has(word)).length))]),
  );
  const rated = parts
    .map((part, index) => ({
      part,
      index,
      rate: words.reduce((sum, word) => sum + (own[index]?.has(word) ? (weight.get(word) ?? 0) : 0), 0),
    }))
    .filter(({ rate }) => rate > 0)
    .sort((a, b) => b.rate - a.rate || a.index - b.index);
  const kept = within(rated, PASSAGES, ({ part }) => part.length);
  return kept.sort((a, b) => a.index - b.index).map(({ part }) => part);
}

function upTo(parts: readonly string[], characters: number): string[] {
  const kept = within(parts, characters, (part) => part.length);
  return kept.length > 0 ? kept : [(parts[0] ?? '').slice(0, characters)];
}

/** The first ones whose sizes together are not more. */
function within<T>(all: readonly T[], most: number, sizeOf: (one: T) => number): T[] {
  let size = 0;
  const end = all.findIndex((one) => {
    size += sizeOf(one);
    return size > most;
  });
  return all.slice(0, end < 0 ? all.length : end);
}

/** Words of alphabets; pairs of characters of scripts without spaces. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.flatMap((word) =>
    /\p{Script=Han}/u.test(word)
      ? Array.from({ length: Math.max(1, word.length - 1) }, (_, index) => word.slice(index, index + 2))
      : word.length > 2
        ? [word]
        : [],
  );
}
