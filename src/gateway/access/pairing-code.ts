// Pairing codes: 8 characters that cannot be mistaken for each other, from the system's generator of secrets: 31^8 of them.
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const CHARACTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 8;

export function newPairingCode(): string {
  return Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}

/** As typed by a person: small letters, blanks and dashes make no difference. */
export function isSameCode(typed: string, code: string): boolean {
  return timingSafeEqual(digest(typed.replace(/[\s-]/g, '').toUpperCase()), digest(code));
}

/** Of one length whatever was typed, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
