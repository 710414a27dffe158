import { describe, expect, it } from 'vitest';
import { isTaintedFile } from './tainted-files.ts';

describe('files that somebody else wrote', () => {
  it.each([
    'node_modules/a/README.md',
    'apps/web/node_modules/a.js',
    'vendor/x.go',
    'inbox/letter.txt',
    'Downloads/a.md',
  ])('%s is one', (path) => expect(isTaintedFile(path)).toBe(true));

  it.each(['README.md', 'src/vendors.ts', 'src/inbox/view.ts', 'docs/downloads.md', 'my_node_modules/a', '.'])(
    '%s is none',
    (path) => expect(isTaintedFile(path)).toBe(false),
  );
});
