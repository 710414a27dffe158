import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { readBeneath } from '../../test/support/read-beneath.ts';
import { estimateTokens } from '../lib/estimate-tokens.ts';

import { createInstructions, INSTRUCTION_TOKENS } from './instructions.ts';
import { isWithin } from './project-root.ts';

function setUp(files: Record<string, string>, { trusted = [] as string[], skills = [] as string[] } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-instructions-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const grants = trusted.map((path) => ({ folder: join(folder, path), grantedAt: '2026-11-16T00:00:00.000Z' }));
  const declined: string[] = [];
  const instructions = createInstructions({
    home: join(folder, 'home'),
    trust: { list: async () => grants, declined: async () => declined },
    readBeneath,
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    skills: async ({ isTrusted }) =>
      isTrusted ? skills.map((name) => ({ name, description: `what ${name} does` })) : [],
  });
  const read = (workspace: string, more: { isOwner?: boolean; system?: string } = {}) =>
    instructions.read({ workspaceRoot: join(folder, workspace), isOwner: true, ...more });
  return { folder, instructions, read, declined };
}

const PROJECT = {
  'home/SOUL.md': 'You are calm.',
  'home/USER.md': 'My name is Ada.',
  'project/.git/HEAD': 'ref: refs/heads/main',
  'project/AGENTS.md': 'Use tabs.',
  'project/CLAUDE.md': 'Never read: AGENTS.md is there.',
  'project/service/CLAUDE.md': 'This is the payments service.',
  'outer/AGENTS.md': 'Outside of every repository.',
};

describe('instructions', () => {
  it('of a trusted project are read from its root down to the workspace, AGENTS.md before CLAUDE.md', async () => {
    const { read, folder } = setUp(PROJECT, { trusted: ['project'] });
    const { text, sources, notices } = await read('project/service');
    expect(sources.map(({ name }) => name)).toEqual([
      'SOUL.md',
      'USER.md',
      join(folder, 'project/AGENTS.md'),
      join(folder, 'project/service/CLAUDE.md'),
    ]);
    expect(text).toContain('Use tabs.');
    expect(text).not.toContain('Never read');
    expect(notices).toEqual([]);
  });

  it('of a project that nobody trusts are not read, and a person is asked about its root', async () => {
    const { read, instructions, folder, declined } = setUp(PROJECT);
    expect((await read('project/service')).text).not.toContain('tabs');
    const asked = { folder: join(folder, 'project'), files: ['AGENTS.md', 'service/CLAUDE.md'] };
    expect(await instructions.undecided(join(folder, 'project/service'))).toEqual(asked);
    declined.push(join(folder, 'project'));
    expect(await instructions.undecided(join(folder, 'project/service'))).toBeUndefined();
  });

  it('of a folder that alone is trusted do not bring those of its parents', async () => {
    const { read } = setUp(PROJECT, { trusted: ['project/service'] });
    const { text } = await read('project/service');
    expect(text).toContain('payments');
    expect(text).not.toContain('tabs');
  });

  it('of no repository are those of the workspace alone', async () => {
    const { read } = setUp({ ...PROJECT, 'outer/inner/note.txt': '' }, { trusted: ['outer'] });
    expect((await read('outer/inner')).text).not.toContain('Outside of every');
    expect((await read('outer')).text).toContain('Outside of every');
  });

  it('about the owner are for the owner alone', async () => {
    const { read } = setUp(PROJECT);
    const { text } = await read('project', { isOwner: false });
    expect(text).toContain('calm');
    expect(text).not.toContain('Ada');
  });

  it('that are a link out of the project are not read, which is said', async () => {
    const { read, folder } = setUp({ 'project/.git/HEAD': '', secret: 'a secret' }, { trusted: ['project'] });
    symlinkSync(join(folder, 'secret'), join(folder, 'project/AGENTS.md'));
    const { text, notices } = await read('project');
    expect(text).not.toContain('a secret');
    expect(notices).toEqual([expect.stringContaining('AGENTS.md is not read')]);
  });

  it('of 10 MB are cut, which is said', async () => {
    const { read } = setUp({ 'project/AGENTS.md': 'Use tabs, always.\n'.repeat(600_000) }, { trusted: ['project'] });
    const { text, notices } = await read('project');
    expect(estimateTokens(text)).toBeLessThan(INSTRUCTION_TOKENS + 100);
    expect(notices).toEqual([expect.stringContaining('64 KiB'), expect.stringContaining('is cut')]);
  });

  it('name the skills of a trusted project, and keep --system whatever is cut', async () => {
    const { read } = setUp(
      { 'project/AGENTS.md': 'x '.repeat(30_000) },
      { trusted: ['project'], skills: ['deploy', 'review'] },
    );
    const { text, notices } = await read('project', { system: 'Answer in rhymes.' });
    expect(text).toContain('Answer in rhymes.');
    expect(notices.join('\n')).toContain('is cut');
    const roomy = setUp({ 'project/AGENTS.md': 'short' }, { trusted: ['project'], skills: ['deploy'] });
    expect((await roomy.read('project')).text).toContain('- deploy: what deploy does');
  });

  it('never exceed the limit, whatever their lengths', async () => {
    const length = fc.integer({ min: 0, max: 60_000 });
    await fc.assert(
      fc.asyncProperty(length, length, length, async (soul, user, agents) => {
        const { read } = setUp(
          {
            'home/SOUL.md': 'я'.repeat(soul),
            'home/USER.md': 'a b '.repeat(user / 4),
            'p/AGENTS.md': '中'.repeat(agents),
          },
          { trusted: ['p'] },
        );
        const { sources } = await read('p');
        expect(sources.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(INSTRUCTION_TOKENS);
      }),
      { numRuns: 25 },
    );
  });
});

it.each([
  ['/a/b', '/a/b', true],
  ['/a/b/c', '/a/b', true],
  ['/a/bc', '/a/b', false],
  ['/a', '/', true],
])('%s within %s: %s', (path, folder, expected) => {
  expect(isWithin(path, folder)).toBe(expected);
});
