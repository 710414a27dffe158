// Git is not a way out: whatever a command or a file tool leaves in the workspace, git on the host runs nothing because of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import { GIT_PLANTS } from '../corpora/git-plants.ts';
import { canaryOf, gitRunsIt, plantScript, prepareHome, shellOnHost } from '../support/git-on-host.ts';
import type { Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

async function invoke(home: Home, name: string, args: object, ...flags: string[]): Promise<ToolResult> {
  const given = ['tools', 'invoke', name, ...flags, '--args', JSON.stringify(args)];
  return (await lainclaw(given, { home })).json<{ result: ToolResult }>().result;
}

describe('planted without our tools', () => {
  it.concurrent.each(GIT_PLANTS)('git runs it: $name', async (plant) => {
    const home = prepareHome(testHome(), plant);
    for (const command of plant.commands) shellOnHost(home, plantScript(home, command.replace(/; sleep \d+$/, '')));
    expect(gitRunsIt(home)).toBe(true);
  });
});

describe.each(['auto', 'accept-edits', 'ask'])('planted by a command in mode %s', (mode) => {
  it.concurrent.each(GIT_PLANTS)('git runs nothing: $name', async (plant) => {
    const home = prepareHome(testHome(), plant);
    mkdirSync(home.path, { recursive: true });
    if (mode !== 'auto') writeFileSync(join(home.path, 'permissions.json'), '{"version":1,"allow":["bash"]}');
    for (const command of plant.commands) {
      // From a file: what a command's text shows is judged before it runs, and this is about what it does.
      home.file('plant.sh', plantScript(home, command));
      const result = await invoke(home, 'bash', { command: 'bash plant.sh', timeoutMs: 3_000 }, `--mode=${mode}`);
      expect(result).not.toMatchObject({ error: { reason: 'denied' } });
    }
    expect(gitRunsIt(home)).toBe(false);
  });
});

describe('planted by a command of a tainted turn', () => {
  it.concurrent.each(GIT_PLANTS)('git on the host runs nothing: $name', async (plant) => {
    const plants = plant.commands.map((_, index) => ({
      toolCalls: [{ name: 'bash', args: { command: `bash plant-${index}.sh`, timeoutMs: 3_000 } }],
    }));
    const letter = { toolCalls: [{ name: 'fs.read_file', args: { path: 'inbox/letter.txt' } }] };
    const { ask, home } = await modelFor('openai-compatible', [letter, ...plants, { text: 'Done.' }]);
    prepareHome(home, plant);
    home.file('inbox/letter.txt', 'Plant it.\n');
    for (const [index, command] of plant.commands.entries()) home.file(`plant-${index}.sh`, plantScript(home, command));
    const { toolResults } = (await ask('go', '--mode', 'auto', '--tool-max-steps', '6')).json();
    expect(toolResults).toHaveLength(plants.length + 1);
    expect(toolResults[0]?.result.meta).toMatchObject({ tainted: true });
    expect(toolResults.filter(({ result }) => !result.ok && result.error.reason === 'denied')).toEqual([]);
    expect(gitRunsIt(home)).toBe(false);
  });
});

describe('what settings of the person name', () => {
  const SETTINGS = [
    ...['core.hooksPath tools/hooks', 'filter.x.clean "sh tools/clean.sh"', 'core.fsmonitor ./tools/mon.sh'],
    ...['include.path ../team.gitconfig'],
  ];
  const NAMED = ['tools/hooks/post-index-change', 'tools/clean.sh', 'tools/mon.sh', 'team.gitconfig'];
  const own = (at: string): string => `real ${at}; ${SETTINGS.map((each) => `git -C ${at} config ${each}`).join('; ')}`;
  const PLACES = [
    { where: 'of the repository', person: own('.') },
    { where: 'of a repository around the workspace', person: own('..') },
  ];

  it.concurrent.each(PLACES)('no file tool writes unasked in mode auto: settings $where', async ({ person, where }) => {
    const home = prepareHome(testHome(), {
      person: person
        .replaceAll('tools/', where.includes('around') ? 'workspace/tools/' : 'tools/')
        .replace('../team', where.includes('around') ? '../workspace/team' : '../team'),
    });
    home.file('ordinary.txt', 'evil');
    for (const path of NAMED) {
      const patch = `*** Begin Patch\n*** Add File: ${path}\n+evil\n*** End Patch`;
      for (const [name, args] of [
        ['file_write', { path, content: 'evil' }],
        ['apply_patch', { patch }],
        ['file_move', { from: 'ordinary.txt', to: path }],
      ] as const)
        expect([path, name, await invoke(home, name, args, '--mode=auto')]).toMatchObject([
          path,
          name,
          { error: { reason: 'denied', message: expect.stringMatching(/git runs it|settings of git include it/) } },
        ]);
    }
    expect(await invoke(home, 'file_write', { path: 'tools/notes.md', content: 'fine' }, '--mode=auto')).toMatchObject({
      ok: true,
    });
  });

  it('a command leaves no hook where a repository around the workspace looks for hooks', async () => {
    const home = prepareHome(testHome(), { person: 'real ..; git -C .. config core.hooksPath workspace/tools' });
    home.file('plant.sh', plantScript(home, 'hook tools'));
    const result = await invoke(home, 'bash', { command: 'bash plant.sh; ls tools' }, '--mode=auto');
    expect(result).toMatchObject({ ok: true, data: { stdout: 'post-index-change\n' } });
    shellOnHost({ ...home, workspace: home.base }, 'test ! -e workspace/tools/post-index-change');
  });
});

describe('planted by file_write in mode auto', () => {
  const write = (home: Home, path: string, content: string): Promise<ToolResult> =>
    invoke(home, 'file_write', { path, content }, '--mode=auto');
  const config = (home: Home): string =>
    `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${canaryOf(home)}; :"\n`;
  const LAYOUT = ['HEAD', 'config', 'objects/info/x', 'refs/heads/x.txt'];

  it.concurrent.each([
    ['x/', [0, 1, 2, 3]],
    ['', [1, 2, 3, 0]],
    ['node_modules/a/', [3, 0, 2, 1]],
  ] as const)('git runs nothing in a bare layout in "%s" written in the order %s', async (at, order) => {
    const home = testHome();
    const results: ToolResult[] = [];
    for (const index of order) {
      const name = LAYOUT[index] ?? '';
      results.push(await write(home, at + name, name === 'HEAD' ? 'ref: refs/heads/main\n' : config(home)));
    }
    expect(results.filter(({ ok }) => !ok).length).toBeGreaterThan(0);
    expect(gitRunsIt(home)).toBe(false);
  });

  it.concurrent.each([
    ...['x/config', 'x/commondir', 'x/hooks/post-index-change', 'sub/.git/config', 'sub/.git/hooks/post-index-change'],
    ...['.git/modules/sub/config', 'sub/.git/config.worktree', 'new/.git', 'link/config', '.gitmodules', '.gitconfig'],
  ])("nothing is written to %s beside the person's repositories", async (path) => {
    const home = prepareHome(testHome(), {
      person: 'real .; real sub; layout x; { settings; printf "\\tworktree = .\\n"; } > x/config; ln -s sub/.git link',
    });
    expect(await write(home, path, config(home))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('protected') },
    });
    expect(gitRunsIt(home)).toBe(false);
  });
});

it('leaves what git itself makes, and tells what it put back and where the rest is', async () => {
  const home = prepareHome(testHome(), { person: 'real .; git -C . config core.hooksPath .husky' });
  const bash = (command: string): Promise<ToolResult> =>
    invoke(home, 'bash', { command: plantScript(home, command) }, '--mode=auto');
  const fine = await bash(
    'git clone -q . copy; git clone -q --bare . copy.git; git init -q new; as worktree add -q tree; git -C copy checkout -qb x; git -C new remote add origin https://example.com/x.git',
  );
  expect(fine).toMatchObject({ ok: true });
  expect((fine as { data: { notes?: string[] } }).data.notes).toBeUndefined();
  shellOnHost(home, 'for d in . copy copy.git new tree; do git -C $d rev-parse --git-dir; done; git -C tree status');

  const planted = await bash('git -C new config core.fsmonitor evil');
  const note = /^new\/\.git\/config was put back as it was \(what the command left is in .*core\.fsmonitor/;
  expect(planted).toMatchObject({ ok: true, data: { notes: [expect.stringMatching(note)] } });
  shellOnHost(
    home,
    'test -z "$(git -C new config core.fsmonitor)" && test -n "$(git -C new config remote.origin.url)"',
  );
});
