// Names that people give to jobs, sub-agents and skills: any printable text of up to 100 characters. Where a file or a session
// key needs one, a slug is made of it. A plain name is its own slug; any other gets a hash behind "=", which no plain name holds.
// So two names never share a slug, and the slug of a name is always the same.
import { createHash } from 'node:crypto';

const LONGEST = 100;
/** Leaves room for what a file name or a session key holds besides. */
const LONGEST_SLUG_BYTES = 64;
const HASH_LENGTH = 16;

const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]*$/u;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Joins letters of some scripts and the parts of an emoji, or chooses the form of one: printed, but only behind a character. */
const JOINERS = /(?<=[^\s\u200c\u200d])(?:\u200c|\u200d|\ufe0e|\ufe0f)/gu;

/** A name in the one form that is stored: composed characters, single spaces, none at its ends. */
export function normalName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
}

/** Why a text cannot be a name, or undefined when it can. */
export function givenNameProblem(name: string): string | undefined {
  const normal = normalName(name);
  const length = [...normal].length;
  if (length === 0) return 'the name is empty';
  if (length > LONGEST) return `the name has ${length} characters, and up to ${LONGEST} are accepted`;
  if (UNPRINTABLE.test(normal.replace(JOINERS, '')))
    return 'the name holds a line break or a character that cannot be seen';
  return undefined;
}

/** What two names must differ in to be two: neither case, nor the form of a character, nor what cannot be seen. */
export function foldedName(name: string): string {
  return normalName(name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')).toLowerCase();
}

/** The one that was meant: spelled exactly like that, otherwise the first that differs only in case or form, or has this slug. */
export function findByName<Named extends { name: string }>(all: readonly Named[], name: string): Named | undefined {
  const normal = normalName(name);
  return (
    all.find((each) => each.name === name) ??
    all.find((each) => each.name === normal) ??
    all.find((each) => foldedName(each.name) === foldedName(name)) ??
    all.find((each) => slugOf(each.name) === normal)
  );
}

/** A name as a part of a file name or of a session key. Only for names without a problem. */
export function slugOf(name: string): string {
  const normal = normalName(name);
  if (PLAIN.test(normal) && Buffer.byteLength(normal) <= LONGEST_SLUG_BYTES) return normal;
  const hash = createHash('sha256').update(normal).digest('hex').slice(0, HASH_LENGTH);
  const readable = normal.replace(/[^\p{L}\p{N}\p{M}_.]+/gu, '-').replace(/^[^\p{L}\p{N}_]+|-+$/gu, '');
  return `${startOf(readable === '' ? 'name' : readable, LONGEST_SLUG_BYTES - HASH_LENGTH - 1)}=${hash}`;
}

/** Whole characters, up to this many bytes. */
function startOf(text: string, bytes: number): string {
  let start = '';
  for (const character of text) {
    if (Buffer.byteLength(start + character) > bytes) break;
    start += character;
  }
  return start;
}
