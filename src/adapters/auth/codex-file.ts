// The sign-in of Codex, a program of OpenAI's: `auth.json` in its folder. It belongs to that program, so it is read only when the
// owner said so, each time it is needed, and never renewed: its refresh token works once, and using it here would sign the
// owner out there.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthError } from './auth-error.ts';
import { claimsOf } from './codex-tokens.ts';
import { isUsableKey } from './keys.ts';

export type CodexSignIn =
  | { kind: 'chatgpt'; access: string; accountId: string; email?: string; expiresAt?: string }
  | { kind: 'api-key'; key: string };

const LARGEST_BYTES = 1_048_576;
const LOGIN = 'lainclaw auth login openai-codex';

export function codexFileOf({
  userHome,
  variables,
}: {
  userHome: string;
  variables: Readonly<Record<string, string | undefined>>;
}): string {
  return join(variables.CODEX_HOME || join(userHome, '.codex'), 'auth.json');
}

/** Throws AuthError: what is missing and what to do; nothing of the file is quoted. */
export async function readCodexFile(path: string): Promise<CodexSignIn> {
  const file = parsed(await readText(path), path);
  const tokens = recordIn(file.tokens);
  const { access_token: access, id_token: idToken, account_id: account } = tokens ?? {};
  if (typeof access === 'string' && isUsableKey(access)) {
    const claims = claimsOf(access);
    const accountId = typeof account === 'string' && account !== '' ? account : claims.accountId;
    if (accountId === undefined) throw unusable(path, 'it names no ChatGPT account');
    const email = claims.email ?? (typeof idToken === 'string' ? claimsOf(idToken).email : undefined);
    const { expiresAt } = claims;
    return { kind: 'chatgpt', access, accountId, ...(email && { email }), ...(expiresAt && { expiresAt }) };
  }
  const key = file.OPENAI_API_KEY;
  if (typeof key === 'string' && isUsableKey(key.trim())) return { kind: 'api-key', key: key.trim() };
  throw unusable(path, 'nobody is signed in there');
}

/** A token that ChatGPT should accept now. `rejected`: one that it did not. Throws AuthError. */
export async function borrowCodexToken(
  path: string,
  { now, rejected }: { now: number; rejected?: string },
): Promise<{ access: string; accountId: string }> {
  const found = await readCodexFile(path);
  if (found.kind !== 'chatgpt') throw unusable(path, 'Codex is signed in with an API key now');
  const hasExpired = found.expiresAt !== undefined && Date.parse(found.expiresAt) <= now;
  if (!hasExpired && found.access !== rejected) return found;
  throw new AuthError(
    'AUTH_REVOKED',
    `The sign-in of Codex ${hasExpired ? 'has expired' : 'is no longer accepted'}. Start codex once, which renews it, or sign in here: ${LOGIN}`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > LARGEST_BYTES) throw unusable(path, 'it is not a file of Codex');
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof AuthError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(path, code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`);
  }
}

function parsed(text: string, path: string): Record<string, unknown> {
  try {
    const value = recordIn(JSON.parse(text));
    if (value) return value;
  } catch {
    // The parser's own words would quote the file.
  }
  throw unusable(path, 'it is not JSON');
}

function recordIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function unusable(path: string, reason: string): AuthError {
  return new AuthError(
    'AUTH_NOTHING_TO_REUSE',
    `There is no sign-in of Codex to use in ${path}: ${reason}. Codex may keep it in the system's keyring, which is not read. To sign in here: ${LOGIN}`,
  );
}
