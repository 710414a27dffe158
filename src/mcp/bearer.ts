// The token of our own HTTP endpoint: random, in a private file of the home. Each request reads it again, so deleting or
// replacing it invalidates the old one at once.
import { randomBytes } from 'node:crypto';
import { isSameSecret, type SecretAttempt, type SecretAttempts } from '../lib/secret-attempts.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import { McpError } from './mcp-error.ts';

export const TOKEN_FILE = 'mcp-token';
const TOKEN_BYTES = 32;

/** Makes a token when there is none. Rejects when the token could be guessed. */
export async function ensureToken(files: OwnerFiles): Promise<void> {
  await files.update(TOKEN_FILE, (current) => {
    if (current === undefined) return `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`;
    if (/^[\w-]{32,}$/.test(current.trim())) return undefined;
    const advice = 'delete it, and Lainclaw makes a new one';
    throw new McpError('MCP_CONFIG', `${TOKEN_FILE} must hold at least 32 letters, digits, _ or -: ${advice}`);
  });
}

/** Tells whether a request carries the token. While there is no token, none is right. */
export function createBearerCheck(
  files: OwnerFiles,
  attempts: SecretAttempts,
): (request: Request) => Promise<SecretAttempt> {
  return async (request) => {
    const [, given] = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    const token = (await files.read(TOKEN_FILE))?.trim();
    if (given === undefined || !token) return { outcome: 'wrong' };
    // The server of this listens on the loopback only: every caller has one address.
    return attempts.attempt('loopback', () => isSameSecret(given, token));
  };
}
