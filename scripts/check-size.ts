// Files stay small enough to read in one sitting: 400 lines for a source file, 600 for a test, 80 for AGENTS.md.
import { readFileSync } from 'node:fs';
import { report, sourceFiles } from './source-files.ts';

const SOURCE_LIMIT = 400;
const TEST_LIMIT = 600;
const AGENTS_LIMIT = 80;

const files = [
  ...sourceFiles('src', 'test', 'bench', 'scripts', 'web'),
  { path: 'AGENTS.md', text: readFileSync('AGENTS.md', 'utf8') },
];
const findings = files.flatMap(({ path, text }) => {
  const lines = text.split('\n').length - 1;
  const limit = path === 'AGENTS.md' ? AGENTS_LIMIT : path.endsWith('.test.ts') ? TEST_LIMIT : SOURCE_LIMIT;
  return lines > limit ? [`${path} has ${lines} lines, over ${limit}`] : [];
});
report('sizes', findings);
