// The Snowball stemmer for English ("Porter 2"): cuts a lower-case word down to what its forms have in common. Written
// here because the published port is one file of 870 kB for every language and takes 12 ms to load; it gives the same
// stems. R1 and R2 are the regions after the first and the second vowel-consonant pair: endings are cut only inside them.
const VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

const WHOLE = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
);
const UNCHANGED = new Set('sky news howe atlas cosmos bias andes'.split(' '));
const UNCHANGED_AFTER_PLURAL = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '));

const STEP_2: [string, string][] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
];
const STEP_3: [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic'.split(' ');

export function stemEnglish(source: string): string {
  if (source.length <= 2) return source;
  const whole = WHOLE.get(source);
  if (whole !== undefined) return whole;
  if (UNCHANGED.has(source)) return source;
  // A "y" that is a consonant is written "Y" until the end.
  let word = source.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y');
  const r1 = regionOne(word);
  const r2 = regionAfter(word, r1);
  word = stepPlural(word);
  if (UNCHANGED_AFTER_PLURAL.has(word)) return word;
  word = stepPast(word, r1);
  if (/[^aeiouy][yY]$/.test(word) && word.length > 2) word = `${word.slice(0, -1)}i`;
  word = stepTwo(word, r1);
  word = stepThree(word, r1, r2);
  word = stepFour(word, r2);
  word = stepLast(word, r1, r2);
  return word.replaceAll('Y', 'y');
}

function regionOne(word: string): number {
  const special = /^(?:gener|commun|arsen)/.exec(word);
  return special ? special[0].length : regionAfter(word, 0);
}

/** Where the region after the next vowel-consonant pair begins. */
function regionAfter(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at += 1) {
    if (VOWEL.test(word[at - 1] ?? '') && !VOWEL.test(word[at] ?? '')) return at + 1;
  }
  return word.length;
}

function stepPlural(word: string): string {
  const bare = word.replace(/'s'$|'s$|'$/, '');
  if (bare.endsWith('sses')) return bare.slice(0, -2);
  if (/ie[ds]$/.test(bare)) return bare.length > 4 ? bare.slice(0, -2) : bare.slice(0, -1);
  if (/(?:us|ss)$/.test(bare)) return bare;
  // Not directly after the word's only vowel: "gas", "this".
  if (bare.endsWith('s') && VOWEL.test(bare.slice(0, -2))) return bare.slice(0, -1);
  return bare;
}

function stepPast(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!ending) return word;
  const stem = word.slice(0, ending.index);
  if (!VOWEL.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLE.test(stem)) return stem.slice(0, -1);
  return isShort(stem, r1) ? `${stem}e` : stem;
}

function stepTwo(word: string, r1: number): string {
  for (const [ending, replacement] of STEP_2) {
    if (word.endsWith(ending)) return swap(word, ending, replacement, r1);
  }
  if (word.endsWith('ogi')) return /logi$/.test(word) ? swap(word, 'ogi', 'og', r1) : word;
  return /[cdeghkmnrt]li$/.test(word) ? swap(word, 'li', '', r1) : word;
}

function stepThree(word: string, r1: number, r2: number): string {
  for (const [ending, replacement] of STEP_3) {
    if (word.endsWith(ending)) return swap(word, ending, replacement, r1);
  }
  return word.endsWith('ative') ? swap(word, 'ative', '', r2) : word;
}

function stepFour(word: string, r2: number): string {
  const ending = STEP_4.find((candidate) => word.endsWith(candidate));
  if (!ending) return word;
  if (ending === 'ion' && !/[st]ion$/.test(word)) return word;
  return swap(word, ending, '', r2);
}

function stepLast(word: string, r1: number, r2: number): string {
  const last = word.length - 1;
  if (word.endsWith('e') && (last >= r2 || (last >= r1 && !endsShort(word.slice(0, -1))))) return word.slice(0, -1);
  return word.endsWith('ll') && last >= r2 ? word.slice(0, -1) : word;
}

function swap(word: string, ending: string, replacement: string, region: number): string {
  const at = word.length - ending.length;
  return at >= region ? word.slice(0, at) + replacement : word;
}

/** Ends in a short syllable: "hop", "at"; not "hoop", "how". */
function endsShort(word: string): boolean {
  return /^[aeiouy][^aeiouy]$/.test(word) || /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word);
}

function isShort(word: string, r1: number): boolean {
  return r1 >= word.length && endsShort(word);
}
