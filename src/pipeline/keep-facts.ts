// A summary is the model's; what a person said of themselves, what they decided and demanded, figures, and the files that were written
// must survive a poor one. After the model has summarised, the person's own sentences of that kind are looked for in the summary; those
// that are not in it are added word for word, the newest first, within a limit. What was added to an earlier summary is a candidate again.
import { estimateTokens } from '../lib/estimate-tokens.ts';
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { HistoryTurn } from '../sessions/history.ts';

export interface KeepFactsOptions {
  summary: string;
  /** What is summarised. */
  turns: readonly HistoryTurn[];
  /** The summary before it. */
  previous?: string;
  /** The most that may be added. */
  tokens: number;
}

const HEADING = '## Also said, word for word';
const FILES = 'Files written:';
const LONGEST_SENTENCE = 240;
const LEAST_WORDS = 4;
/** Of the telling words of a sentence that has no names or figures. */
const COVERED_SHARE = 0.6;

export function keepFacts({ summary, turns, previous, tokens }: KeepFactsOptions): string {
  const known = fold(summary);
  const files = writtenFiles(turns, previous).filter((path) => !known.includes(fold(path)));
  const candidates = [...addedBefore(previous), ...turns.flatMap(saidSentences).filter(isFact)];
  const sentences = new Set(candidates.filter((sentence) => !isCovered(sentence, known)));
  const added: string[] = [];
  let room = tokens - estimateTokens(HEADING);
  if (files.length > 0) {
    const line = `- ${FILES} ${files.join(', ')}`;
    room -= estimateTokens(line);
    if (room >= 0) added.push(line);
  }
  for (const sentence of [...sentences].reverse()) {
    room -= estimateTokens(sentence) + 2;
    if (room < 0) break;
    added.unshift(`- ${sentence}`);
  }
  return added.length === 0 ? summary : `${summary}\n\n${HEADING}\n${added.join('\n')}`;
}

function saidSentences({ messages }: HistoryTurn): string[] {
  return messages.flatMap(({ role, content }) => (role === 'user' ? sentencesOf(content) : []));
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|(?<=[。！？；])|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) =>
      sentence.length <= LONGEST_SENTENCE ? sentence : `${wholeCharacters(sentence.slice(0, LONGEST_SENTENCE))}…`,
    );
}

/** Words by which people say who they are, what they want, and what was decided, in the languages of Lainclaw. */
const PERSONAL = [
  /\b(my|mine|our|ours) \w+|\bI('m| am| work| live| use| prefer| like| need| want| moved| have)\b|\bcall me\b/i,
  /\b(always|never|must(n't)?|don't|do not|only|prefer|remember|decided?|agreed?|at most|at least|no more than|instead of|let's|we('ll| will| use)|todo|still (open|to do)|later)\b/i,
  /我叫|我是|我的|我在|我们|请(不要|用|记)|不要|必须|总是|从不|只(用|能|要)|决定|记住|喜欢|需要|以后/,
  /(^|\s)(меня|мне|мой|моя|моё|мои|мы|наш\S*|я)(\s|,)|всегда|никогда|нельзя|не надо|обязательно|долж(ен|на|ны)|только|реш(или|ено)|запомни|предпочита|позже/i,
];

function isFact(sentence: string): boolean {
  const words = sentence.split(' ');
  const isLongEnough = words.length >= LEAST_WORDS || /[\u2e80-\uffff]{4}/.test(sentence);
  if (!isLongEnough) return false;
  if (/[?？]$/.test(sentence)) return namesIn(sentence).some((name) => /[./]/.test(name));
  return namesIn(sentence).length > 0 || PERSONAL.some((pattern) => pattern.test(sentence));
}

/** What identifies a fact: figures, file names, addresses, and other words with a digit, a point or a slash inside. */
function namesIn(sentence: string): string[] {
  return (sentence.match(/[\p{L}\p{N}_$€£%@~/.:+-]*[\p{N}/@][\p{L}\p{N}_$€£%@~/.:+-]*|\b\w+\.\w{1,5}\b/gu) ?? [])
    .map((name) => name.replace(/^[.:-]+|[.:,-]+$/g, ''))
    .filter((name) => /[\p{L}\p{N}]/u.test(name));
}

function isCovered(sentence: string, known: string): boolean {
  if (known.includes(fold(sentence).replace(/[.。!]$/, ''))) return true;
  const names = namesIn(sentence);
  const words = tellingWords(sentence);
  const covered = words.filter((word) => known.includes(word)).length;
  const isNamed = names.every((name) => known.includes(fold(name)));
  return isNamed && covered >= words.length * COVERED_SHARE && (names.length > 0 || words.length > 0);
}

function tellingWords(sentence: string): string[] {
  return (fold(sentence).match(/[\p{Script=Han}]{2}|\p{L}{4,}/gu) ?? []).filter((word) => !COMMON.has(word));
}

const COMMON = new Set(['that', 'this', 'with', 'have', 'will', 'what', 'from', 'they', 'your', 'about', 'please']);

function fold(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ');
}

function addedBefore(previous: string | undefined): string[] {
  const [, added = ''] = previous?.split(`${HEADING}\n`) ?? [];
  const lines = added.split('\n').filter((line) => line.startsWith('- ') && !line.startsWith(`- ${FILES}`));
  return lines.map((line) => line.slice(2));
}

function writtenFiles(turns: readonly HistoryTurn[], previous: string | undefined): string[] {
  const [, before = ''] = previous?.split(`- ${FILES} `) ?? [];
  const paths = turns.flatMap(({ calls }) =>
    calls.flatMap(({ call, effect, result }) => {
      const { path } = (call.args ?? {}) as { path?: unknown };
      return effect === 'write' && result?.ok === true && typeof path === 'string' ? [path] : [];
    }),
  );
  const known = before.split('\n')[0]?.split(', ') ?? [];
  return [...new Set([...known, ...paths])].filter((path) => path !== '').slice(-50);
}
