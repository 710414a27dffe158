// Nothing is ever written outside: a table of payloads, and random trees full of links.
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { createWorkspace } from './confined.ts';
import type { Workspace } from './workspace.ts';

const UP = '../'.repeat(12);

/** OUT is a free name beside the root, ROOT the root, BASE what holds both. */
const PAYLOADS = [
  ...['../OUT', '../../OUT', `${UP}OUT`, './../OUT', 'sub/../../OUT', 'sub/../../outside/OUT', 'sub/./../.././OUT'],
  ...[
    '..//OUT',
    '..///outside//OUT',
    './/..//OUT',
    'sub//..//..//OUT',
    '../outside/../OUT',
    '../ws/../OUT',
    '../ws/sub/../../OUT',
  ],
  ...[
    'BASE/OUT',
    'BASE/outside/OUT',
    '//BASE/OUT',
    '///BASE///OUT',
    'ROOT/../OUT',
    'ROOT/sub/../../OUT',
    'ROOT//..//OUT',
  ],
  ...['ROOT-evil/OUT', '../ws-evil/OUT', '/..BASE/OUT', `/${UP}BASE/OUT`, `${UP}BASE/OUT`, '../ws-evil/../OUT'],
  ...[
    '/tmp/OUT',
    '/var/tmp/OUT',
    '/dev/shm/OUT',
    '/etc/OUT',
    '/OUT',
    '/opt/OUT',
    '/proc/self/cwd/OUT',
    '/proc/self/root/tmp/OUT',
  ],
  ...[
    '/proc/self/fd/0',
    '/proc/self/mem',
    '/proc/sys/kernel/OUT',
    '/dev/stdout',
    '/dev/null',
    '/sys/OUT',
    '/proc/1/root/tmp/OUT',
  ],
  ...[
    'to-outside/OUT',
    'to-outside/new/OUT',
    'to-parent/OUT',
    'to-parent/outside/OUT',
    'to-root/tmp/OUT',
    'to-tmp/OUT',
  ],
  ...[
    'to-file',
    'to-missing',
    'to-missing-dir/OUT',
    'chain',
    'chain2/OUT',
    'sub/up/OUT',
    'sub/up/../OUT',
    'to-outside/../OUT',
  ],
  ...[
    'to-parent/ws/../OUT',
    'to-self/../OUT',
    'to-self/to-self/../OUT',
    'to-proc/OUT',
    'to-evil/OUT',
    'sub/up/outside/new/OUT',
  ],
  ...[
    'to-outside/.',
    'to-outside/',
    'to-outside',
    'to-parent/..',
    '..',
    '../',
    '/',
    '../outside',
    'to-outside/dir/../OUT',
  ],
];

/** Names that only look dangerous: they are names, and what they name lies inside. */
const HARMLESS = [
  '..\\OUT',
  '%2e%2e/OUT',
  '..%2fOUT',
  '~/OUT',
  '$HOME/OUT',
  '．．/OUT',
  '..\u2215OUT',
  '...//OUT',
  'C:\\OUT',
  '-rf',
  '|x',
];

function layOut(): Yard {
  const yard = createYard();
  onTestFinished(() => yard.remove());
  yard.write('ws/sub/b.txt', 'b');
  yard.write('outside/secret.txt', 'secret');
  yard.write('outside/dir/x', 'x');
  yard.write('ws-evil/x', 'x');
  const links: [string, string][] = [
    ['to-outside', yard.outside],
    ['to-parent', '..'],
    ['to-root', '/'],
    ['to-tmp', tmpdir()],
    ['to-file', '../outside/secret.txt'],
    ['to-missing', '../outside/OUT'],
    ['to-missing-dir', '../outside/new'],
    ['chain', 'to-file'],
    ['chain2', 'to-outside'],
    ['sub/up', '../..'],
    ['to-self', '.'],
    ['to-proc', '/proc/self/cwd'],
    ['to-evil', `${yard.root}-evil`],
  ];
  for (const [at, target] of links) symlinkSync(target, `${yard.root}/${at}`);
  return yard;
}

async function tryEverything(workspace: Workspace, path: string): Promise<unknown[]> {
  const bytes = Buffer.from('written');
  const attempts = [
    () => workspace.writeFile(path, bytes, { mode: 'overwrite', createParents: true }),
    () => workspace.writeFile(path, bytes, { mode: 'append', createParents: true }),
    () => workspace.writeFile(path, bytes, { mode: 'overwrite', createParents: true, expected: 'absent' }),
    () => workspace.makeDirectory(path),
    () => workspace.makeDirectory(`${path}/new`),
    () => workspace.remove(path, { kind: 'file' }),
    () => workspace.remove(path, { kind: 'empty-directory' }),
  ];
  const results: unknown[] = [];
  for (const attempt of attempts) results.push(await attempt().catch((error: unknown) => error));
  return results;
}

describe.each([['descriptor-walk'], ['checked-path']] as const)('%s', (guarantee) => {
  const way = guarantee === 'checked-path' ? { guarantee } : {};

  it(`writes, makes and removes nothing outside with any of ${PAYLOADS.length} payloads`, async () => {
    expect(PAYLOADS.length).toBeGreaterThanOrEqual(50);
    const yard = layOut();
    const name = `lainclaw-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const workspace = await createWorkspace({ root: yard.root, ...way });
    const before = yard.tree('outside');
    for (const payload of PAYLOADS) {
      const path = payload.replaceAll('BASE', yard.base).replaceAll('ROOT', yard.root).replaceAll('OUT', name);
      for (const result of await tryEverything(workspace, path)) {
        expect(result, path).toBeInstanceOf(WorkspaceError);
        expect((result as WorkspaceError).code, path).toBe('outside');
      }
      expect(yard.tree('outside'), path).toEqual(before);
    }
    for (const place of ['/', '/tmp', '/etc', '/root', '/var/tmp', '/dev/shm', process.cwd(), tmpdir()]) {
      expect(existsSync(join(place, name)), place).toBe(false);
    }
  });

  it('takes names that only look dangerous for what they are', async () => {
    const yard = layOut();
    const workspace = await createWorkspace({ root: yard.root, ...way });
    const before = yard.tree('outside');
    for (const path of HARMLESS) {
      const written = await workspace.writeFile(path, Buffer.from(path), { mode: 'overwrite', createParents: true });
      expect(readFileSync(join(yard.root, written.path), 'utf8')).toBe(path);
      expect(written.path).toBe(path.replace('//', '/'));
    }
    expect(yard.tree('outside')).toEqual(before);
  });

  it('writes only where it says, in any tree of links', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const part = fc.oneof({ weight: 6, arbitrary: name }, fc.constantFrom('..', '.', '', 'ws', 'outside'));
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const anyPath = fc.oneof(
      { weight: 4, arbitrary: path },
      path.map((rest) => `BASE/${rest}`),
      path.map((rest) => `BASE/ws/${rest}`),
    );
    const place = fc.tuple(fc.constantFrom('ws', 'ws', 'outside'), fc.array(name, { minLength: 1, maxLength: 3 }));
    const planted = fc.record({
      place,
      to: fc.option(anyPath, { nil: undefined }),
      kind: fc.constantFrom('file', 'directory'),
    });
    let written = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(planted, { maxLength: 15, size: 'max' }),
        fc.array(anyPath, { minLength: 1, maxLength: 12, size: 'max' }),
        async (tree, paths) => {
          const yard = createYard({ inMemory: true });
          try {
            for (const item of tree) plant(yard, item);
            const workspace = await createWorkspace({ root: yard.root, ...way });
            const before = yard.tree('outside');
            for (const [index, spelled] of paths.entries()) {
              const asked = spelled.replace('BASE', yard.base) || '.';
              const content = `content ${index}`;
              const options = { mode: 'overwrite', createParents: true } as const;
              const result = await workspace.writeFile(asked, Buffer.from(content), options).catch(refusal);
              expect(yard.tree('outside'), asked).toEqual(before);
              if (result instanceof WorkspaceError) continue;
              written += 1;
              const real = join(yard.root, result.path);
              expect(realpathSync(real), asked).toBe(real);
              expect(readFileSync(real, 'utf8'), asked).toBe(content);
              // And the system agrees that this is where the path leads.
              const full = asked.startsWith('/') ? asked : `${yard.root}/${asked}`;
              expect(readFileSync(full, 'utf8'), asked).toBe(content);
            }
            expect(yard.tree().join()).not.toContain('.tmp');
          } finally {
            yard.remove();
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(written).toBeGreaterThan(50);
  });
});

function plant(
  yard: Yard,
  { place: [top, names], to, kind }: { place: [string, string[]]; to?: string; kind: string },
) {
  const path = join(yard.base, top, ...names);
  try {
    mkdirSync(dirname(path), { recursive: true });
    // A link planted earlier may lead this one elsewhere.
    if (dirname(path) !== realpathSync(dirname(path))) return;
    if (to !== undefined) symlinkSync(to.replace('BASE', yard.base) || '.', path);
    else if (kind === 'file') writeFileSync(path, 'planted', { flag: 'wx' });
    else mkdirSync(path);
  } catch {
    // Something else is there already.
  }
}

function refusal(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  throw error;
}
