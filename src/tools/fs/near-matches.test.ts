import { expect, it } from 'vitest';
import { processorTime } from '../../../test/support/processor-time.ts';
import { nearMatches } from './near-matches.ts';

const FILE = `function one() {
    return compute(1);
}

function two() {
\treturn "compute"(2);
}
`;

it('shows lines that differ only in white space, quotation marks or case, and says so', () => {
  expect(nearMatches(FILE, 'function one() {\n  return compute(1);\n}')).toBe(
    'lines 1-3 (differs only in indentation):\n1| function one() {\n2|     return compute(1);\n3| }',
  );
  expect(nearMatches(FILE, 'return   compute( 1 );')).toContain('line 2 (differs only in white space)');
  expect(nearMatches('a  \nb\n', 'a\nb ')).toContain('lines 1-2 (differs only in trailing white space)');
  expect(nearMatches(FILE, 'return “compute”(2);')).toContain('line 6 (differs only in quotation marks or dashes)');
  expect(nearMatches(FILE, 'Function Two() {')).toContain('line 5 (differs only in upper and lower case)');
});

it('tells how far the text matches', () => {
  expect(nearMatches(FILE, 'function one() {\n    return compute(7);')).toContain(
    'Its first 36 characters are in the file up to line 2, where "7);" is expected and "1);\\n}\\n\\nfunction two() {',
  );
  expect(nearMatches('the end of it', 'the end of it all')).toContain('the file ends');
});

it('shows the most similar lines', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `const setting${index} = load("${index * 7919}");`);
  lines[250] = 'export function renderPage(request, response) {';
  const shown = nearMatches(lines.join('\n'), 'export function renderPages(req, response) {');
  expect(shown).toMatch(/line 251 \(\d\d % alike\):\n251\| export function renderPage\(request, response\) \{/);
});

it('recognises escapes that were meant as characters', () => {
  expect(nearMatches('a\nb "c"', 'a\\nb \\"c\\"')).toContain('It does occur when \\n');
});

it('says nothing where nothing is near, and stays bounded', () => {
  expect(nearMatches(FILE, 'zzzz qqqq')).toBe('');
  expect(nearMatches('', 'x')).toBe('');
  expect(nearMatches(FILE, '\n\n')).toBe('');
  const long = nearMatches(`${'x'.repeat(100_000)}\n`, `${'x'.repeat(99_999)} `);
  expect(long.length).toBeLessThan(1_000);
});

it('takes no more than a moment on a large file', () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `  const value${index} = compute(${index}, "some text");`);
  const begin = processorTime();
  expect(nearMatches(lines.join('\n'), 'const valu12345 = compte(12345, "some text")')).toContain('% alike');
  expect(processorTime() - begin).toBeLessThan(5_000);
});

it('takes no more than a moment on the worst of files', () => {
  const begin = processorTime();
  const same = 'x = 1;\n';
  nearMatches(same.repeat(100_000), `${same.repeat(50_000)}y`);
  nearMatches('a'.repeat(2_000_000), `${'a'.repeat(500_000)}b${'a'.repeat(500_000)}\\n`);
  nearMatches(`${'ab '.repeat(100)}\n`.repeat(6_000), `${'ba '.repeat(100)}\n`.repeat(2_000));
  expect(processorTime() - begin).toBeLessThan(10_000);
});
