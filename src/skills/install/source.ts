// Parses the source given to `skills install`: a folder, a git address or the name of an npm package.
import { SkillError } from '../skill-error.ts';
export type Source = { kind: 'folder'; path: string } | { kind: 'git'; url: string } | { kind: 'npm'; spec: string };

const ACCEPTED =
  'accepted: a folder, a git address (https://…, ssh://…, git@host:path, file:///…) or an npm package (name, @scope/name, name@version)';
const PACKAGE = /^(@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*(@[\w.^~<>=*+-]+)?$/i;
const SCP_FORM = /^[a-z0-9_][\w.-]*@[a-z0-9][\w.-]*:(?!\/\/)\S+$/i;

/** `isFolder` resolves to true when the path is a folder. */
export async function parseSource(given: string, isFolder: (path: string) => Promise<boolean>): Promise<Source> {
  if (given.trim() === '') throw refused(`the source is empty; ${ACCEPTED}`);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return { kind: 'git', url: checkAddress(given) };
  if (await isFolder(given)) return { kind: 'folder', path: given };
  if (/^(\.{0,2}\/|\.{1,2}$|~)/.test(given)) throw new SkillError('SKILL_SOURCE', `there is no folder ${given}`);
  if (SCP_FORM.test(given)) return { kind: 'git', url: given };
  const spec = given.replace(/^npm:/, '');
  if (PACKAGE.test(spec)) return { kind: 'npm', spec };
  throw refused(`"${given.slice(0, 200)}" is not a valid source; ${ACCEPTED}`);
}

function checkAddress(given: string): string {
  const { protocol, username, password, hostname } = URL.canParse(given) ? new URL(given) : new URL('none://');
  if (!['https:', 'ssh:', 'file:'].includes(protocol))
    throw refused(`"${given.slice(0, 200).replace(/\/\/[^/@]*@/, '//')}" cannot be fetched; ${ACCEPTED}`);
  // A password would appear in the list of processes and in the record.
  if (password !== '' || (protocol === 'https:' && username !== ''))
    throw refused('the address contains a password: leave it out and use a git credential helper or ssh');
  if (hostname.startsWith('-') || (protocol !== 'file:' && hostname === ''))
    throw refused(`"${given.slice(0, 200)}" names no host; ${ACCEPTED}`);
  return given;
}

function refused(message: string): SkillError {
  return new SkillError('SKILL_USAGE', message);
}
