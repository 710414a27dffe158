// Whether a question asks for what was true before and is no longer: "what did I do before?", 以前, "раньше". Only then are facts that were
// replaced found, and first.
import { STOP_WORDS } from './analysis/stop-words.ts';

const PAST_WORDS: readonly RegExp[] = [
  /\b(before|previously|previous|formerly|former|use[d]? to|earlier|once|back then|at first|originally|original|initially|initial|in the past|no longer|prior|ex|anymore|any more)\b/i,
  /以前|之前|过去|過去|原来|原來|原先|先前|曾经|曾經|从前|從前|当初|當初|早先|前任|旧的|舊的|以往|那时|那時|换.{0,4}前|搬.{0,4}前|改.{0,4}前/,
  /(?<!\p{L})(раньше|ранее|прежде|прежн\p{L}*|бывш\p{L}*|до этого|до того|в прошлом|прошл\p{L}* (работ|команд|адрес|квартир|машин|должност|врач|номер|план)\p{L}*|когда-то|изначально|сначала|первоначальн\p{L}*|стар(?:ый|ая|ое|ые|ого|ой|ым|ую|ом)|тогда|больше не)(?!\p{L})/iu,
];
const PAST_PHRASES: readonly RegExp[] = [
  /\b(old|last) (job|team|address|city|flat|apartment|home|house|car|phone|number|employer|company|role|title|school|plan|doctor|boss|manager|gym|bank|provider)\b/i,
  /\b(did|was|were|had) (\w+\s){0,8}(before|first|then|earlier|previously|originally)\b/i,
];

export function asksAboutPast(question: string): boolean {
  return [...PAST_WORDS, ...PAST_PHRASES].some((pattern) => pattern.test(question));
}

const OF_ASKER = /(?<!\p{L})(?:i|we|my|our|я|мы|меня|мне|нас|нам|мной|мой|моя|мое|моё|наш|наша)(?!\p{L})|我/iu;
const ASKING =
  /(?<!\p{L})(?:what|which|where|who|что|чем|кем|кто|где|какой|какая|какое|какие)(?!\p{L})|什么|什麼|啥|哪|谁|誰/iu;
/** Words for doing something: no text is found by them. */
const DOING: ReadonlySet<string> = new Set(
  'do done кем занимался занималась занимались заниматься делал делала делали делать занят занята'.split(' '),
);
const CHINESE_DOING = /^[我们們是在做干幹过過什么麼啥的呢吗嗎了都]+$/u;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * "What did I do before?" has no word of the answer, in any language: what was replaced last is what it asks for. A question with a
 * subject ("what did I eat before?") is answered by what is found with that.
 */
export function asksWhatWasBefore(question: string): boolean {
  const pattern = PAST_WORDS.find((each) => each.test(question));
  if (!pattern || !OF_ASKER.test(question) || !ASKING.test(question)) return false;
  const words = question.replace(pattern, ' ').toLowerCase().replaceAll('ё', 'е').match(WORD) ?? [];
  return words.every((word) => STOP_WORDS.has(word) || DOING.has(word) || CHINESE_DOING.test(word));
}
