// Which conversation a chat in a folder continues, and what a new one there is called.
import { basename } from 'node:path';
import type { Catalogue, SessionEntry } from '../storage/storage.ts';
import { sessionKeyProblem } from './session-key.ts';

/** What `ask` uses wherever it is run. */
export const SHARED_KEY = 'main';
const FALLBACK_NAME = 'project';
const LONGEST_NAME = 60;
const PAGE = 50;

/** The last used conversation of a folder; undefined where there is none yet. */
export async function lastOfProject(
  { list }: Pick<Catalogue, 'list'>,
  workspace: string,
): Promise<SessionEntry | undefined> {
  for (let page = await list({ workspace, limit: PAGE }); page.length > 0; ) {
    const found = page.find(({ sessionKey }) => isOfAPerson(sessionKey));
    if (found) return found;
    page = await list({ workspace, limit: PAGE, after: page.at(-1) });
  }
  return undefined;
}

/** A key that is not taken, made of the folder's name: `payments`, `payments-2`. */
export async function newProjectKey({ get }: Pick<Catalogue, 'get'>, workspace: string): Promise<string> {
  const name = nameOf(workspace);
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? name : `${name}-${number}`;
    if (key !== SHARED_KEY && !(await get(key))) return key;
  }
}

/** Conversations of chats on platforms, of schedules and of sub-agents have a colon in their key. */
export function isOfAPerson(sessionKey: string): boolean {
  return sessionKey !== SHARED_KEY && !sessionKey.includes(':');
}

function nameOf(workspace: string): string {
  const name = basename(workspace)
    .replace(/[^\p{L}\p{N}\p{M}_.-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}_]+|-+$/gu, '');
  const short = Array.from(name).slice(0, LONGEST_NAME).join('').replace(/-+$/, '');
  return short === '' || sessionKeyProblem(short) !== undefined ? FALLBACK_NAME : short;
}
