import { expect, it } from 'vitest';
import { parsePatch, pathsOfPatch } from './parse-patch.ts';

const ENVELOPE = `*** Begin Patch
*** Add File: new/hello.txt
+Hello
+
+world
*** Update File: src/app.py
*** Move to: src/main.py
@@ def greet():
-print("Hi")
+print("Hello")

*** Delete File: obsolete.txt
*** End Patch`;

it('reads the sections of an envelope', () => {
  const patches = parsePatch(ENVELOPE);
  expect(patches).toMatchObject([
    { kind: 'add', path: 'new/hello.txt', content: 'Hello\n\nworld\n' },
    { kind: 'update', path: 'src/app.py', to: 'src/main.py', hunks: [{ anchors: ['def greet():'] }] },
    { kind: 'delete', path: 'obsolete.txt' },
  ]);
  expect(pathsOfPatch(ENVELOPE)).toEqual(['new/hello.txt', 'src/app.py', 'src/main.py', 'obsolete.txt']);
  expect(parsePatch(`\`\`\`diff\n${ENVELOPE}\n\`\`\`\n`)).toEqual(patches);
  expect(parsePatch(ENVELOPE.replaceAll('\n', '\r\n'))).toEqual(patches);
});

const GIT = `diff --git a/src/a.ts b/src/a.ts
index 123..456 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,2 @@ function f
 one
-two
+2
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+first
+last
\\ No newline at end of file
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/from.txt b/to.txt
similarity index 100%
rename from from.txt
rename to to.txt
`;

it('reads a diff of git', () => {
  expect(parsePatch(GIT)).toMatchObject([
    { kind: 'update', path: 'src/a.ts', hunks: [{ near: 1, lines: [{ text: 'one' }, { sign: '-' }, { sign: '+' }] }] },
    { kind: 'add', path: 'new.txt', content: 'first\nlast' },
    { kind: 'delete', path: 'old.txt' },
    { kind: 'update', path: 'from.txt', to: 'to.txt', hunks: [] },
  ]);
});

it.each([
  ['hello', /names no file/],
  ['*** Begin Patch\n*** Update File: a\n-x\n', /does not end with \*\*\* End Patch/],
  ['*** Begin Patch\n*** Update File: a\n*** End Patch', /changes nothing/],
  ['*** Begin Patch\n*** Update File: a\nx\n*** End Patch', /line 3: "x" begins neither/],
  ['*** Begin Patch\n*** Add File: a\nx\n*** End Patch', /line 3: every line of an added file begins with \+/],
  ['*** Begin Patch\n*** Rename File: a\n*** End Patch', /line 2: "\*\*\* Rename File: a" is not/],
  ['*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch', /nothing follows/],
  ['--- "a/x"\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b', /without quotation marks/],
  ['GIT binary patch\nliteral 3', /binary file/],
])('refuses %j', (patch, problem) => {
  expect(() => parsePatch(patch)).toThrow(problem);
  expect(pathsOfPatch(patch)).toEqual([]);
});
