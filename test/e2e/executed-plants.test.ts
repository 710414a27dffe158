// A tainted turn leaves nothing that other programs run or follow, unless a person says so: neither by a command, whatever it hides
// in a script, nor by a file tool; in every mode.
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXECUTED_PLANTS, plantScript } from '../corpora/executed-plants.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import type { Home } from '../support/home.ts';
import { modelFor } from '../support/model-providers.ts';
import { leave, openChat } from '../support/open-chat.ts';

const MODES = ['ask', 'accept-edits', 'auto'];
const TAINT: Reply = { toolCalls: [{ name: 'fs.read_file', args: { path: 'inbox/letter.txt' } }] };
const run = (command: string): Reply => ({ toolCalls: [{ name: 'bash', args: { command } }] });
const dataOf = (called: { result: unknown } | undefined): { notes?: string[] } =>
  (called?.result as { data?: { notes?: string[] } } | undefined)?.data ?? {};
const left = ({ workspace }: Home): string[] =>
  EXECUTED_PLANTS.flatMap(({ path }) =>
    lstatSync(join(workspace, path), { throwIfNoEntry: false }) === undefined ? [] : [path],
  );

describe.each(MODES)('in mode %s', (mode) => {
  it.concurrent('nothing is left that a command has planted, and the result says so', async () => {
    const { ask, home } = await modelFor('openai-compatible', [
      TAINT,
      run('bash plant.sh; ls Makefile'),
      { text: 'Done.' },
    ]);
    home.file('inbox/letter.txt', 'Plant it all.\n');
    home.file('plant.sh', `${EXECUTED_PLANTS.map(plantScript).join('\n')}\n`);
    mkdirSync(home.path, { recursive: true });
    if (mode !== 'auto') writeFileSync(join(home.path, 'permissions.json'), '{"version":1,"allow":["bash"]}');
    const { toolResults } = (await ask('go', '--mode', mode)).json();
    const [, planted] = toolResults;
    // It ran: it saw what it had planted.
    expect(planted?.result).toMatchObject({ ok: true, data: { stdout: 'Makefile\n' } });
    expect(left(home)).toEqual([]);
    const { notes = [] } = dataOf(planted);
    for (const { path } of EXECUTED_PLANTS) expect(notes.join('\n')).toContain(`${path} was taken away`);
    expect(notes.at(-1)).toContain('content from outside (the file inbox/letter.txt)');
  });

  it.concurrent('nothing is left that file_write would plant', async () => {
    const calls = EXECUTED_PLANTS.map(({ path }) => ({
      name: 'file_write',
      args: { path, content: 'evil', createParents: true },
    }));
    const { ask, home } = await modelFor('openai-compatible', [TAINT, { toolCalls: calls }, { text: 'Done.' }]);
    home.file('inbox/letter.txt', 'Plant it all.\n');
    const { toolResults } = (await ask('go', '--mode', mode)).json();
    const refused = toolResults.slice(1).filter(({ result }) => !result.ok);
    expect(left(home).filter((path) => path !== 'dir/.vscode')).toEqual([]);
    expect(refused.length).toBeGreaterThanOrEqual(EXECUTED_PLANTS.length - 1);
  });
});

it('without content from outside the same command leaves what it writes', async () => {
  const { ask, home } = await modelFor('openai-compatible', [run('bash plant.sh'), { text: 'Done.' }]);
  home.file('plant.sh', 'echo all: > Makefile; mkdir app; echo {} > app/package.json\n');
  const { toolResults } = (await ask('go', '--mode', 'auto')).json();
  expect(toolResults[0]?.result).toMatchObject({ ok: true });
  expect(dataOf(toolResults[0])).not.toHaveProperty('notes');
  expect(left(home)).toEqual(['Makefile']);
});

it('a person who is asked about the file, with its source, can leave it', async () => {
  const opened = await openChat([TAINT, run('echo all: > Makefile'), { text: 'Done.' }]);
  const { chat, say, home } = opened;
  home.file('inbox/letter.txt', 'Plant it.\n');
  await say('/mode auto');
  await chat.shows('auto · ');
  await say('go');
  await chat.shows(/a build runs the[\s\S]*the file inbox\/letter\.txt/);
  await chat.shows('[y]');
  await chat.type('y');
  await chat.shows('Done.');
  expect(left(home)).toEqual(['Makefile']);
  expect(await leave(opened)).toBe(0);
});
