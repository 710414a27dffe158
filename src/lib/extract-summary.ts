// An extractive summary: the sentences whose words recur most in the text, in their own order, each once; fragments of a word
// or two have the lowest rank. No model, no state; the same text always gives the same summary, and a text with any words never
// gives an empty one.
import { wholeCharacters } from './whole-characters.ts';

const SAMPLE_CHARACTERS = 200_000;
const LONGEST_SENTENCE = 400;
/** A sentence up to its end mark: not the point in "10.0.0.5", "example.com" or "Dr. Lindqvist". */
const SENTENCE =
  /(?:[^.!?。！？\n]+|(?<![.!?])[.!?]+(?=[^\s.!?])|(?<=(?<!\p{L})\p{Lu}\p{Ll}{0,2})\.(?= \p{Lu}))+[.!?。！？]*/gu;

export function extractSummary(text: string, sentencesWanted = 3): string {
  return extractSentences(text, sentencesWanted).join(' ');
}

/** The sentences of the summary. */
export function extractSentences(text: string, sentencesWanted: number): string[] {
  const sentences = splitSentences(text.slice(0, SAMPLE_CHARACTERS));
  if (sentences.length <= sentencesWanted) return sentences.map(shorten);
  const frequency = new Map<string, number>();
  const words = sentences.map(wordsOf);
  for (const word of words.flat()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = sentences.map((sentence, index) => ({
    index,
    isScrap: isScrap(sentence),
    score: score(words[index] ?? [], frequency),
  }));
  const best = scored
    .sort((a, b) => Number(a.isScrap) - Number(b.isScrap) || b.score - a.score || a.index - b.index)
    .slice(0, sentencesWanted);
  return best.sort((a, b) => a.index - b.index).map(({ index }) => shorten(sentences[index] ?? ''));
}

function splitSentences(text: string): string[] {
  const parts = (text.match(SENTENCE) ?? []).map((part) => part.trim().replace(/\s+/g, ' '));
  return [...new Set(parts)].filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** Words of alphabets, pairs of Han characters; very short words carry no meaning. */
function wordsOf(sentence: string): string[] {
  const lower = sentence.toLowerCase();
  const words = (lower.match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => word.length > 3 && !/\p{Script=Han}/u.test(word),
  );
  const han = lower.match(/\p{Script=Han}/gu) ?? [];
  return [...words, ...han.slice(1).map((character, index) => `${han[index]}${character}`)];
}

/** True for fewer than three words, or characters in scripts without spaces. */
function isScrap(sentence: string): boolean {
  const units = sentence.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|\p{L}+/gu) ?? [];
  return units.length < 3;
}

function score(words: string[], frequency: Map<string, number>): number {
  const total = words.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0);
  return total / Math.sqrt(words.length + 4);
}

function shorten(sentence: string): string {
  return sentence.length > LONGEST_SENTENCE ? `${wholeCharacters(sentence.slice(0, LONGEST_SENTENCE - 1))}…` : sentence;
}
