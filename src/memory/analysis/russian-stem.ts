// The Snowball stemmer for Russian: cuts a lower-case word (ё written as е) down to what its forms have in common.
// RV is the part after the first vowel, R2 the part after the second vowel-consonant pair: endings are cut only inside them.
// Where its rules for verbs and adjectives take the end of a noun in some of its forms ("Иван", but not "Ивану"), the other forms lose it too.
const VOWEL = /[аеиоуыэюя]/;

// Longer endings come first: the first match is the longest.
const GERUND_AFTER_A = /([ая])(?:вшись|вши|в)$/;
const GERUND = /(?:ившись|ывшись|ивши|ывши|ив|ыв)$/;
const REFLEXIVE = /(?:ся|сь)$/;
const ADJECTIVE = /(?:ими|ыми|его|ого|ему|ому|ее|ие|ые|ое|ей|ий|ый|ой|ем|им|ым|ом|их|ых|ую|юю|ая|яя|ою|ею)$/;
const PARTICIPLE = /(?:ивш|ывш|ующ)$/;
const PARTICIPLE_AFTER_A = /([ая])(?:ем|нн|вш|ющ|щ)$/;
const VERB =
  /(?:уйте|ейте|ила|ыла|ена|ите|или|ыли|ило|ыло|ено|ует|уют|ены|ить|ыть|ишь|ите|ей|уй|ил|ыл|им|ым|ен|ят|ит|ыт|ую|ю)$/;
const VERB_AFTER_A = /([ая])(?:ете|йте|ешь|нно|ла|на|ли|ем|ло|но|ет|ют|ны|ть|й|л|н)$/;
const NOUN =
  /(?:иями|ями|ами|ией|иям|ием|иях|ев|ов|ие|ье|еи|ии|ей|ой|ий|ям|ем|ам|ом|ах|ях|ию|ью|ия|ья|а|е|и|й|о|у|ы|ь|ю|я)$/;

/** What the rules leave of some forms of a noun and cut from others: Ивану, ресторане, журналом, Смирнова, Медведеву, Сергею, музея. */
const REST_OF_NOUN = /(?:(?<=[ая])[нл]|[ое]в|е)+$/;
/** Names with an end like that of a verb or an adjective, which no rule could tell from one. */
const NAME =
  /^(елен|ален|милен|людмил|михаил|даниил|максим|вадим|ефим|трофим|артем|яков|никола|никит)(?:[аеуыйюя]|ой|ою|ом|ем)?$/;

export function stemRussian(word: string): string {
  const [, name] = NAME.exec(word) ?? [];
  if (name !== undefined) return name;
  const start = regionAfterVowel(word);
  if (start >= word.length) return word;
  const r2 = regionTwo(word) - start;
  const head = word.slice(0, start);
  let rest = cutMain(word.slice(start));
  rest = rest.replace(/и$/, '');
  const derivation = /ость?$/.exec(rest);
  if (derivation && derivation.index >= r2) rest = rest.slice(0, derivation.index);
  const superlative = rest.replace(/(?:ейше|ейш)$/, '');
  rest = superlative.endsWith('нн')
    ? superlative.slice(0, -1)
    : superlative === rest
      ? rest.replace(/ь$/, '')
      : superlative;
  return head + rest.replace(REST_OF_NOUN, '');
}

function cutMain(rest: string): string {
  const gerund = longerCut(rest, GERUND, GERUND_AFTER_A);
  if (gerund !== rest) return gerund;
  const plain = rest.replace(REFLEXIVE, '');
  const adjective = plain.replace(ADJECTIVE, '');
  if (adjective !== plain) return longerCut(adjective, PARTICIPLE, PARTICIPLE_AFTER_A);
  const verb = longerCut(plain, VERB, VERB_AFTER_A);
  return verb !== plain ? verb : plain.replace(NOUN, '');
}

/** Cuts the longer of two kinds of ending; the second kind only after "а" or "я", which stay. */
function longerCut(rest: string, free: RegExp, afterA: RegExp): string {
  const one = rest.replace(free, '');
  const other = rest.replace(afterA, '$1');
  return other.length < one.length ? other : one;
}

function regionAfterVowel(word: string): number {
  const at = word.search(VOWEL);
  return at < 0 ? word.length : at + 1;
}

function regionTwo(word: string): number {
  let at = 0;
  for (let pair = 0; pair < 2; pair += 1) {
    at += 1;
    while (at < word.length && !(VOWEL.test(word[at - 1] ?? '') && !VOWEL.test(word[at] ?? ''))) at += 1;
    at += 1;
  }
  return Math.min(at, word.length);
}
