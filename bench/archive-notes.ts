// Notes that look like a person's: words from a vocabulary in which a few are common and most are rare.
import { seededRandom } from '../test/support/random.ts';

const VOCABULARY = 60_000;
const WORDS_OF_A_NOTE = 40;
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');
/** The commonest words are what stop-words are in a real text: nobody searches for them. */
const COMMONEST = 60;

export interface Notes {
  note(): string;
  /** Some words of a note that was made before. */
  query(): string;
}

export function createNotes(seed: number): Notes {
  const random = seededRandom(seed);
  const cumulative = new Float64Array(VOCABULARY);
  let total = 0;
  for (let rank = 0; rank < VOCABULARY; rank += 1) {
    total += 1 / (rank + 1);
    cumulative[rank] = total;
  }
  const pick = (): number => {
    const wanted = random() * total;
    let low = 0;
    let high = VOCABULARY - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const remembered: number[][] = [];
  return {
    note() {
      const ranks = Array.from({ length: WORDS_OF_A_NOTE }, pick);
      if (remembered.length < 500) remembered.push(ranks);
      return `${ranks.map(wordOf).join(' ')}.`;
    },
    query() {
      const ranks = remembered[Math.floor(random() * remembered.length)] ?? [COMMONEST];
      const telling = ranks.filter((rank) => rank >= COMMONEST);
      const from = Math.floor(random() * Math.max(1, telling.length - 5));
      return `what about ${telling
        .slice(from, from + 5)
        .map(wordOf)
        .join(' ')}?`;
    },
  };
}

function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}
