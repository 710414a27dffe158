// Pairing codes: 8 characters that cannot be mistaken for each other, from the system's generator of secrets: 31^8 of them.
import { randomInt } from 'node:crypto';
import { isSameSecret } from '../../lib/secret-attempts.ts';

const CHARACTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 8;

export function newPairingCode(): string {
  return Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}

/** As typed by a person: small letters, blanks and dashes make no difference. */
export function isSameCode(typed: string, code: string): boolean {
  return isSameSecret(typed.replace(/[\s-]/g, '').toUpperCase(), code);
}
