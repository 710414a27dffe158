// Sections by meaning, where there is an embedding model. Each section gets its vector once in a process; until they are all
// there the search uses words alone, and so it does when the model fails.
import type { Page, Section } from './page.ts';

/** A vector for each text, in order; undefined where there is no model. */
export type EmbedTexts = (
  texts: readonly string[],
  kind: 'query' | 'passage',
) => Promise<readonly Float32Array[] | undefined>;

export interface MeaningRanking {
  /** How alike each section is to the question, from -1 to 1; undefined where that is not known, or not yet. */
  likeness(query: string): Promise<Map<Section, number> | undefined>;
}

const LONGEST_TEXT = 1_500;
const BATCH = 32;

export interface MeaningOptions {
  embed: EmbedTexts;
  /** How long a question waits for the vectors of the sections; they are finished in any case. */
  patienceMs: number;
}

export function createMeaning(pages: readonly Page[], { embed, patienceMs }: MeaningOptions): MeaningRanking {
  const sections = pages.flatMap((page) => page.sections);
  let vectors: Promise<readonly Float32Array[] | undefined> | undefined;

  async function embedSections(): Promise<readonly Float32Array[] | undefined> {
    const all: Float32Array[] = [];
    for (let from = 0; from < sections.length; from += BATCH) {
      const texts = sections.slice(from, from + BATCH).map(textOf);
      const found = await embed(texts, 'passage');
      if (!found) return undefined;
      all.push(...found);
    }
    return all;
  }

  return {
    async likeness(query) {
      vectors ??= embedSections().catch(() => undefined);
      const known = await withinPatience(vectors, patienceMs);
      const [asked] = known ? ((await embed([query], 'query').catch(() => undefined)) ?? []) : [];
      if (!known || !asked) return undefined;
      return new Map(sections.map((section, index) => [section, cosine(asked, known[index])]));
    },
  };
}

function textOf({ trail, prose }: Section): string {
  return `${trail.join(' › ')}\n${prose}`.slice(0, LONGEST_TEXT);
}

async function withinPatience<T>(work: Promise<T>, patienceMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}

function cosine(one: Float32Array, other: Float32Array | undefined): number {
  if (!other || one.length !== other.length) return 0;
  let product = 0;
  let ones = 0;
  let others = 0;
  for (let index = 0; index < one.length; index += 1) {
    const [a = 0, b = 0] = [one[index], other[index]];
    product += a * b;
    ones += a * a;
    others += b * b;
  }
  return ones === 0 || others === 0 ? 0 : product / Math.sqrt(ones * others);
}
