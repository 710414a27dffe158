// Nothing in src is there for tests alone: every file that is not a test is reached from an entry of the program, or from a script. Conformance
// suites, oracles, corpora and harnesses live under test/, beside the fakes.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { importsOf, report, sourceFiles } from './source-files.ts';

const { entry } = JSON.parse(readFileSync('knip.json', 'utf8')) as { entry: string[] };

/** Written for a door that is not built yet. */
const AWAITED = ['src/operations/invoke.ts'];

const files = new Map(
  sourceFiles('src', 'scripts')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .map(({ path, text }) => [path, text]),
);
const reached = new Set<string>();
const waiting = [...entry.filter((path) => path.startsWith('src/')), ...files.keys().filter(isScript)];
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  const text = files.get(path);
  if (text === undefined || reached.has(path)) continue;
  reached.add(path);
  for (const specifier of importsOf(text)) waiting.push(posix.normalize(posix.join(posix.dirname(path), specifier)));
}
report(
  'test code',
  [...files.keys()]
    .filter((path) => !reached.has(path) && !AWAITED.includes(path))
    .map((path) => `${path}: only tests import it, so it belongs under test/`),
);

function isScript(path: string): boolean {
  return path.startsWith('scripts/');
}
