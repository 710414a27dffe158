// `lainclaw undo` killed before each of its writes: the next command finishes it, whichever that is, and no command ever undoes
// another turn than the one that was meant.
import { chmodSync, cpSync, existsSync, linkSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ListedTurn } from '../../src/undo/undo.ts';
import type { Home } from '../support/home.ts';
import { runKilledAt } from '../support/killed-command.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { createLocalGateway } from '../support/local-gateway.ts';
import { testHome } from '../support/test-home.ts';

const write = (path: string, content: string) => ({ name: 'file_write', args: { path, content } });

const turnsOf = (home: Home): string[] =>
  home.lines().flatMap((line) => (line.type === 'turn-end' ? [line.turnId] : []));

/** Every file and directory of the workspace with mode and content. */
function tree({ workspace }: Home): Record<string, string> {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const stats = lstatSync(join(workspace, name));
      const mode = (stats.mode & 0o777).toString(8);
      return [name, stats.isFile() ? `${mode} ${readFileSync(join(workspace, name), 'utf8')}` : `${mode} directory`];
    }),
  );
}

interface Scene {
  home: Home;
  /** Before and after the turn that is undone. */
  before: Record<string, string>;
  after: Record<string, string>;
  save(name: string): void;
  /** Brings the home and its workspace back to the moment of `save`. */
  restore(name: string): void;
}

/** Two turns: an earlier one, and one that changes, creates and deletes files, makes directories and changes modes. */
async function setScene(): Promise<Scene> {
  const home = testHome();
  for (const name of ['changed.txt', 'edited.txt', 'linked.txt', 'removed/deep/gone.txt', 'script.sh'])
    home.file(name, `${name} of the person\n`);
  linkSync(join(home.workspace, 'linked.txt'), join(home.workspace, 'other-name.txt'));
  chmodSync(join(home.workspace, 'script.sh'), 0o644);
  const earlier = [write('changed.txt', 'the earlier turn\n'), write('kept.txt', 'the earlier turn\n')];
  await ask(home, `tool:${JSON.stringify(earlier)}`, '--approve=auto');
  const before = tree(home);
  const command = 'rm -r removed; chmod 755 script.sh; mkdir -p made/deep; echo new > made/deep/file.txt';
  const calls = [
    write('changed.txt', 'the later turn\n'),
    write('linked.txt', 'the later turn\n'),
    write('new/deep/created.txt', 'the later turn\n'),
    { name: 'file_edit', args: { path: 'edited.txt', oldText: 'person', newText: 'later turn' } },
    { name: 'bash', args: { command } },
  ];
  await ask(home, `tool:${JSON.stringify(calls)}`, '--approve=auto');
  const aside = (name: string): string => join(home.base, `saved-${name}`);
  const scene: Scene = {
    home,
    before,
    after: tree(home),
    save(name) {
      for (const each of [home.path, home.workspace]) cpSync(each, join(aside(name), each), { recursive: true });
    },
    restore(name) {
      for (const each of [home.path, home.workspace]) {
        rmSync(each, { recursive: true });
        cpSync(join(aside(name), each), each, { recursive: true });
      }
    },
  };
  scene.save('start');
  return scene;
}

const OTHER_COMMANDS = [
  ['undo', '--list'],
  ['sessions', 'diff'],
  ['ask', '--session', 'other', 'hello'],
];

/** What is wrong after the command that follows a kill; empty when nothing is. */
async function problemsAfter(args: string[], { home, before, after }: Scene): Promise<string[]> {
  const problems: string[] = [];
  const { code, stderr } = await lainclaw(args, { home });
  if (code !== 0) problems.push(`exit ${code}: ${stderr}`);
  const now = JSON.stringify(tree(home));
  const isUndone = now === JSON.stringify(before);
  if (!isUndone && now !== JSON.stringify(after)) problems.push(`half undone: ${now}`);
  if (args[0] === 'undo' && args.length === 1 && !isUndone) problems.push('not undone');
  if (existsSync(join(home.path, 'unfinished-undos.json'))) problems.push('still on record as unfinished');
  const turns = (await lainclaw(['undo', '--list'], { home })).json<ListedTurn[]>().filter((turn) => !turn.undoes);
  const [later, earlier] = turns.map(({ undone }) => undone);
  if (later !== isUndone) problems.push(`the record says undone: ${later}`);
  if (earlier !== false) problems.push('the earlier turn was undone');
  return problems.map((problem) => `then ${args.join(' ')}: ${problem}`);
}

it('killed before any of its writes, is finished by the next command and undoes no other turn', {
  timeout: 600_000,
}, async () => {
  const scene = await setScene();
  const { home, save, restore } = scene;
  const problems: string[] = [];
  let kills = 0;
  for (;;) {
    const { signal, code, stdout, stderr } = await runKilledAt(['undo'], kills + 1, { home });
    if (signal === null) {
      expect([code, stderr, tree(home)]).toEqual([0, '', scene.before]);
      break;
    }
    kills += 1;
    save('killed');
    // Somebody who has seen the result may mean the turn before by the next undo.
    const repeated = stdout === '' ? [['undo']] : [];
    for (const args of [...repeated, OTHER_COMMANDS[kills % OTHER_COMMANDS.length] ?? []]) {
      problems.push(...(await problemsAfter(args, scene)).map((problem) => `${kills}: ${stderr}${problem}`));
      restore('killed');
    }
    rmSync(join(home.base, 'saved-killed'), { recursive: true });
    restore('start');
  }
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThan(40);
});

it('a rewind with files, killed before any of its writes, is finished by the next command, or has not begun', {
  timeout: 600_000,
}, async () => {
  const scene = await setScene();
  const { home, before, save, restore } = scene;
  const third = [write('changed.txt', 'the third turn\n'), write('third.txt', 'the third turn\n')];
  await ask(home, `tool:${JSON.stringify(third)}`, '--approve=auto');
  save('third');
  const untouched = JSON.stringify(tree(home));
  const all = turnsOf(home);
  const [first = ''] = all;
  const args = ['sessions', 'rewind', 'main', '--turn', first, '--files', '--json'];
  const next = [['undo', '--list'], ['sessions', 'diff'], ['ask', '--session', 'other', 'hello'], ['undo'], args];
  const problems: string[] = [];
  let kills = 0;
  let finished = 0;
  for (let killAt = 1; ; killAt += 4) {
    const { signal, stderr } = await runKilledAt(args, killAt, { home });
    if (signal === null) break;
    const command = next[kills % next.length] ?? args;
    kills += 1;
    const { code, stdout } = await lainclaw(command, { home });
    const now = JSON.stringify(tree(home));
    const isRewound = now === JSON.stringify(before) && JSON.stringify(turnsOf(home)) === JSON.stringify([first]);
    const hasNotBegun = now === untouched && JSON.stringify(turnsOf(home)) === JSON.stringify(all);
    if (isRewound) finished += 1;
    const isRight = command === args ? isRewound && code === 0 : command.length === 1 ? true : isRewound || hasNotBegun;
    if (!isRight) problems.push(`${stderr}then ${command.join(' ')}: ${code} ${stdout} ${now} ${turnsOf(home)}`);
    if (command.length === 1 && code !== 0 && !isRewound) problems.push(`${stderr}then undo: ${code} ${stdout}`);
    if (existsSync(join(home.path, 'unfinished-undos.json'))) problems.push(`${stderr}: still on record`);
    restore('third');
  }
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThan(20);
  expect(finished).toBeGreaterThan(kills / 3);
});

it('a gateway that runs finishes an interrupted undo before its next turn', async () => {
  const { home, before, after } = await setScene();
  const gateway = createLocalGateway(home);
  await gateway.start();
  try {
    for (let killAt = 1; ; killAt += 1) {
      const { signal } = await runKilledAt(['undo'], killAt, { home });
      expect(signal).toBe('SIGKILL');
      const now = JSON.stringify(tree(home));
      // In the middle of its files.
      if (now !== JSON.stringify(before) && now !== JSON.stringify(after)) break;
    }
    gateway.write({ id: 'm1', chatId: 'a', senderId: 'a', text: 'hello', order: 1 });
    await gateway.until((lines) => lines.length > 0);
    expect(tree(home)).toEqual(before);
  } finally {
    await gateway.end('SIGTERM');
  }
});
