// Every path the document map names must be there, and every Markdown link between our own documents must lead somewhere.
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
  for (const [, link = ''] of readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
    const target = posix.normalize(posix.join(posix.dirname(path), link));
    if (!existsSync(target)) findings.push(`${path} links to ${link}, which is not there`);
  }
}
report('docmap', findings);
