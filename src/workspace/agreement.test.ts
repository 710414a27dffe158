// Random trees and paths: the walk has to accept exactly what the system's own realpath places inside the root.
import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { createWorkspace, type WorkspaceOptions } from './confined.ts';

type Planted =
  | { at: string; kind: 'file' }
  | { at: string; kind: 'directory' }
  | { at: string; kind: 'link'; to: string };

// Few names, so that paths often meet what was planted.
const name = fc.constantFrom('a', 'b', '..c');
const place = fc
  .tuple(fc.constantFrom('ws', 'ws', 'ws', 'outside'), fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([top, names]) => [top, ...names].join('/'));
const component = fc.oneof({ weight: 8, arbitrary: name }, fc.constantFrom('..', '.', '', 'ws', 'outside'));
const spelling = fc.array(component, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
/** `BASE` means the directory above the root. */
const anyPath = fc
  .oneof(
    { weight: 6, arbitrary: spelling },
    { weight: 3, arbitrary: place.map((path) => `BASE/${path}`) },
    fc.tuple(fc.constantFrom('..', '../ws/..', 'BASE/ws/..', '/..BASE/ws/..'), place).map((parts) => parts.join('/')),
    fc.tuple(place, spelling).map(([path, rest]) => `BASE/${path}/${rest}`),
    spelling.map((path) => `/${path}`),
    fc.constantFrom('/etc/hosts', 'BASE', 'BASE/ws', '/'),
  )
  .filter((path) => path !== '');
const planted: fc.Arbitrary<Planted> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ at: place, kind: fc.constant('file' as const) }) },
  fc.record({ at: place, kind: fc.constant('directory' as const) }),
  { weight: 2, arbitrary: fc.record({ at: place, kind: fc.constant('link' as const), to: anyPath }) },
);

const ways: [string, Pick<WorkspaceOptions, 'guarantee'>][] = [
  ['descriptor-walk', {}],
  ['checked-path', { guarantee: 'checked-path' }],
];

describe.each(ways)('%s', (_, way) => {
  it('opens and lists exactly what realpath places inside the root', { timeout: 240_000 }, async () => {
    let accepted = 0;
    let refused = 0;
    const trees = fc.array(planted, { maxLength: 25, size: 'max' });
    const paths = fc.array(anyPath, { minLength: 1, maxLength: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(trees, paths, async (tree, asked) => {
        const yard = createYard();
        try {
          for (const item of tree) plant(yard, item);
          const workspace = await createWorkspace({ root: yard.root, ...way });
          for (const path of asked.map((spelled) => spelled.replace('BASE', yard.base))) {
            const expected = oracle(yard, path);
            const opened = await workspace.openFile(path).catch(refusal);
            const listed = await workspace.list(path, { recursive: false, maxDepth: 1, maxEntries: 99 }).catch(refusal);
            if (opened instanceof WorkspaceError) {
              refused += 1;
            } else {
              accepted += 1;
              const content = await opened.handle.readFile('utf8');
              await opened.handle.close();
              expect(content, path).toBe(`inside ${opened.path}`);
            }
            expect(outcome(opened), path).toMatch(expected.asFile);
            expect(outcome(listed), path).toMatch(expected.asDirectory);
          }
        } finally {
          yard.remove();
        }
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(50);
  });
});

function plant(yard: Yard, item: Planted): void {
  const path = join(yard.base, item.at);
  const content = item.at.startsWith('ws/') ? `inside ${item.at.slice(3)}` : 'outside';
  try {
    // A link planted earlier may stand on the way; the content would then lie about its place.
    mkdirSync(dirname(path), { recursive: true });
    if (dirname(path) !== realpathSync(dirname(path))) return;
    if (item.kind === 'directory') mkdirSync(path);
    else if (item.kind === 'file') writeFileSync(path, content, { flag: 'wx' });
    else symlinkSync(item.to.replace('BASE', yard.base), path);
  } catch {
    // Something else is there already.
  }
}

/** What opening and listing have to end in: `ok <real path>` or an error code. */
function oracle({ root }: Yard, path: string): { asFile: RegExp; asDirectory: RegExp } {
  // Joined as text: node's own join would resolve `..` without looking at links.
  const full = path.startsWith('/') ? path : `${root}/${path}`;
  try {
    const real = realpathSync.native(full);
    // realpath forgives a slash after a file; stat, like opening, does not.
    const isDirectory = statSync(full).isDirectory();
    if (real !== root && !real.startsWith(`${root}/`)) return { asFile: /^outside$/, asDirectory: /^outside$/ };
    const found = `ok ${relative(root, real) || '.'}`;
    return isDirectory
      ? { asFile: /^not_a_file$/, asDirectory: exactly(found) }
      : { asFile: exactly(found), asDirectory: /^not_a_directory$/ };
  } catch {
    const unreachable = /^(outside|not_found|not_a_directory|too_many_links)$/;
    return { asFile: unreachable, asDirectory: unreachable };
  }
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll('.', '\\.')}$`);
}

function outcome(result: WorkspaceError | { path: string }): string {
  return result instanceof WorkspaceError ? result.code : `ok ${result.path}`;
}

function refusal(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  throw error;
}
