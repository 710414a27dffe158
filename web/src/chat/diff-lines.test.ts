import { expect, it } from 'vitest';
import { diffLines, isDiff, sideBySide } from './diff-lines.ts';

const DIFF = `--- a/round.ts
+++ b/round.ts
@@ -1,3 +1,3 @@
 const a = 1;
-const b = 2;
+const b = 3;
+const c = 4;
 end
`;

it('a diff becomes lines with their numbers, the removed beside what replaces them', () => {
  expect(isDiff(DIFF)).toBe(true);
  const pairs = sideBySide(diffLines(DIFF));
  expect(pairs.map(({ left, right }) => [left?.before, left?.text, right?.after, right?.text])).toEqual([
    [undefined, '@@ -1,3 +1,3 @@', undefined, '@@ -1,3 +1,3 @@'],
    [1, 'const a = 1;', 1, 'const a = 1;'],
    [2, 'const b = 2;', 2, 'const b = 3;'],
    [undefined, undefined, 3, 'const c = 4;'],
    [3, 'end', 4, 'end'],
  ]);
});

it('plain output is not taken for a diff', () => {
  expect(isDiff('total 4\n- one\n+ two\n')).toBe(false);
});
