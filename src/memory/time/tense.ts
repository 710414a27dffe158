// Whether the sentence around a time tells that it is over or to come: "she bought it in March" names another March than "we fly in
// March". Only words that hardly mean anything else count; where a sentence has both kinds or none, it tells nothing.
import { IRREGULAR } from '../analysis/english-irregular.ts';

/** Of one sentence, so much on each side of the time is read. */
const BESIDE = 160;
const SENTENCE_END = /[.!?。！？\n]/u;

const FUTURE =
  /\b(?:will|shall|going\s+to|gonna|planning|plan\s+to|hope\s+to|want\s+to|upcoming)\b|['’]ll\b|(?<![开社机大聚])会(?![议员计])|将(?!军)|打算|计划|准备|即将|(?<![主重需必首])要(?![求点是么素])|(?<![а-я])(?:буд(?:у|ет|ем|ут|ешь|ете)|собира\p{L}+|планиру\p{L}+)(?![а-я])/iu;
const PAST =
  /\b(?:was|were|had|did)\b|(?<!为)了|(?<![超通经])过(?![年来去程敏])|曾|(?<![а-я])(?:был[аои]?|[а-я]{2,}[аияеыу]л(?:а|и|о|ся|ась|ись|ось))(?![а-я])/iu;
/** Words in -ed that are mostly not verbs, and verbs of plans: what was booked is mostly still to come. */
const NOT_PAST = new Set(
  'need feed seed speed breed hundred indeed exceed proceed succeed red bed wed shed united scheduled planned booked reserved arranged invited enrolled registered expected supposed promised agreed decided'.split(
    ' ',
  ),
);
/** "I'm excited", "the shop is closed": how something is now. */
const PRESENT_STATE =
  /\b(?:am|is|are|be)\s+(?:\w+ly\s+|so\s+|very\s+|not\s+)?[a-z]+ed\b|['’](?:m|re)\s+(?:so\s+|very\s+|not\s+)?[a-z]+ed\b/giu;
/** A Russian verb of the past in the masculine, except the nouns that end alike. */
const RUSSIAN_PAST = /(?<![а-яё])[а-яё]{2,}[аияеыу]л(?:ся)?(?![а-яё])/giu;
const RUSSIAN_NOUNS = new Set(
  'канал материал журнал отдел финал сериал персонал капитал филиал вокзал портал сигнал терминал идеал потенциал карнавал раздел предел скандал квартал интервал мемориал генерал профессионал'.split(
    ' ',
  ),
);
const NOUNS = new Set(
  'child man woman foot tooth mouse goose person wife life knife half shelf wolf thief loaf'.split(' '),
);

export type Tense = 'past' | 'future';

export function tenseAround(text: string, at: number): Tense | undefined {
  const sentence = sentenceAround(text, at);
  const isFuture = FUTURE.test(sentence);
  const isPast =
    PAST.test(sentence) ||
    (sentence.replace(PRESENT_STATE, ' ').match(/[a-z]+/giu) ?? []).some(isPastVerb) ||
    (sentence.match(RUSSIAN_PAST) ?? []).some((word) => !RUSSIAN_NOUNS.has(word.toLowerCase()));
  if (isFuture === isPast) return undefined;
  return isFuture ? 'future' : 'past';
}

function sentenceAround(text: string, at: number): string {
  const before =
    text
      .slice(Math.max(0, at - BESIDE), at)
      .split(SENTENCE_END)
      .at(-1) ?? '';
  const behind = text.slice(at, at + BESIDE).split(SENTENCE_END)[0] ?? '';
  return before + behind;
}

function isPastVerb(word: string): boolean {
  const lower = word.toLowerCase();
  const base = IRREGULAR.get(lower);
  if (base !== undefined) return !NOUNS.has(base);
  return /^[a-z]{2,}ed$/.test(lower) && !NOT_PAST.has(lower);
}
