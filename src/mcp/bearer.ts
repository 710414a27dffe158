// The token of our own HTTP endpoint: random, in a private file of the home. Each request reads it again, so deleting or
// replacing it invalidates the old one at once.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
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

/** Resolves to true when the request carries the token; to false while there is no token. */
export function createBearerCheck(files: OwnerFiles): (request: Request) => Promise<boolean> {
  return async (request) => {
    const [, given] = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    const token = (await files.read(TOKEN_FILE))?.trim();
    if (given === undefined || !token) return false;
    // Digests have equal length, and comparing them takes constant time.
    const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
    return timingSafeEqual(digest(given), digest(token));
  };
}
