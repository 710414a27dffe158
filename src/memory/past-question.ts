// What a search of past conversations asks for: the words that must be in what was said, and when it was said. "What did we say about payments last
// week" asks for payments; words for a time and for saying are in the question and seldom in the answer.
import type { Analyser } from './analysis/analyser.ts';
import { askedTimes, limitsOf } from './time/asked-times.ts';
import type { WallClock } from './time/wall-clock.ts';
import { isSaidOrAbout } from './time/weigh-time.ts';

export interface SaidThen {
  /** ISO 8601. */
  date: string;
  text: string;
}

export interface PastQuestion {
  /** As they are written, without words for a time. */
  words: string[];
  /** As the index has them. Empty when the question names a time and nothing else. */
  terms: ReadonlySet<string>;
  /** Whether something was said at the time that the question names, or is about it; undefined when it names none. */
  isOfAskedTime?: (said: SaidThen) => boolean;
  /** Between `since` and `until`. */
  isAllowed(said: SaidThen): boolean;
}

export interface TimeLimits {
  since?: string;
  until?: string;
}

const SAYING =
  'say says said saying tell told talk talked talking speak spoke discuss discussed mention mentioned сказал сказала сказали говорил говорила говорили обсуждал обсуждала обсуждали упоминал упоминала упоминали';
/** Also who asks, and what a question ends with: without spaces they would make pairs with the words beside them. */
const CHINESE_SAYING =
  /我们|我們|咱们|我|你|(?:说|說|聊|谈|談|讨论|討論|提)[过過了到]?|关于|關於|什么|什麼|啥|吗|嗎|呢/gu;

/** Throws when a limit is not a time. */
export function readPastQuestion(
  question: string,
  limits: TimeLimits,
  { analyser, clock }: { analyser: Analyser; clock: WallClock },
): PastQuestion {
  const wall = clock.wallAt(clock.now());
  const allowed = limitsOf(limits, wall);
  const { spans, subject } = askedTimes(question, wall);
  const asked = analyser.query(subject);
  return {
    words: subject.split(/\s+/u).filter((word) => word !== ''),
    terms: spans.length > 0 && asked.hasOnlyStopWords ? new Set() : withoutSaying(subject, asked.terms, analyser),
    ...(spans.length > 0 && {
      isOfAskedTime: (said: SaidThen) => spans.some((span) => isSaidOrAbout(said, span, clock)),
    }),
    isAllowed: (said) => allowed === undefined || isSaidOrAbout(said, allowed, clock),
  };
}

/** Words for saying count where nothing else is asked for. */
function withoutSaying(subject: string, terms: ReadonlySet<string>, analyser: Analyser): ReadonlySet<string> {
  const saying = new Set(analyser.terms(SAYING));
  const rest = analyser.query(subject.replace(CHINESE_SAYING, ' '));
  const telling = rest.hasOnlyStopWords ? [] : [...rest.terms].filter((term) => !saying.has(term));
  return telling.length > 0 ? new Set(telling) : terms;
}
