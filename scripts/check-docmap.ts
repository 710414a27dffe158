// Every path the document map names must be there, every Markdown link between our own documents must lead somewhere, and no
// document holds what a merge could not decide.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parse } from 'yaml';
import { report } from './source-files.ts';

interface DocumentMap {
  repos: { name: string; path: string }[];
  docs: { path: string; about: string }[];
}

const map = parse(readFileSync('docmap.yaml', 'utf8')) as DocumentMap;
const findings = [...map.repos, ...map.docs]
  .filter(({ path }) => !existsSync(path))
  .map(({ path }) => `docmap.yaml names ${path}, which is not there`);

const documents = [...globSync('*.md'), ...globSync('docs/**/*.md')].map((path) => path.replaceAll('\\', '/'));
const mapped = new Set(map.docs.map(({ path }) => path));
for (const path of documents) {
  if (path.startsWith('docs/') && !mapped.has(path)) findings.push(`${path} is missing from docmap.yaml`);
  const text = readFileSync(path, 'utf8');
  if (/^(?:<{7} |>{7} )/m.test(text)) findings.push(`${path} holds the marks of an unfinished merge`);
  for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
    const target = posix.normalize(posix.join(posix.dirname(path), link));
    if (!existsSync(target)) findings.push(`${path} links to ${link}, which is not there`);
  }
}
report('docmap', findings);
