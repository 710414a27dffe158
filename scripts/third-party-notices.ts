// The bundle contains other people's code. Their licences ask that their notices travel with it: this collects them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `modules`: the paths of everything that is in the bundle. */
export function thirdPartyNotices(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap((path) => packageFolder(path) ?? []));
  const notices = [...folders].map(noticeOf).toSorted();
  return `Lainclaw contains code of these packages.\n\n${[...new Set(notices)].join('\n\n')}\n`;
}

/** The innermost package that the file belongs to. */
function packageFolder(path: string): string | undefined {
  const match = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path);
  const folder = match?.[1]?.replace(/^\0/, '');
  return folder && existsSync(join(folder, 'package.json')) ? folder : undefined;
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `## ${name} ${version} (${license ?? 'see its licence'})\n\n${text}`.trim();
}
