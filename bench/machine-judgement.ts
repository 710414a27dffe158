// Which commands run without a question, by the labelled table; and whether a race gets a write out of the workspace.

import { classifyCommand } from '../src/tools/permissions/classify-command.ts';
import { createCommandParser } from '../src/tools/permissions/parse-command.ts';
import { COMMANDS } from '../test/corpora/commands.ts';
import { HELD } from '../test/corpora/commands-held.ts';
import { runRace } from '../test/workspace-race/race.ts';
import type { Figure, Scale } from './bench.ts';

export async function measureClassification(): Promise<Figure[]> {
  const parse = await createCommandParser();
  const root = '/home/u/project';
  const context = { workspaceRoot: root, directory: root, userHome: '/home/u', lainclawHome: '/home/u/.lainclaw' };
  const runs = (command: string, isContained = true): boolean =>
    classifyCommand(parse(command), { ...context, isContained }).verdict === 'read-only';
  const risky = COMMANDS.filter(({ label }) => label !== 'safe');
  const everyday = COMMANDS.filter(({ label }) => label === 'safe');
  const asking = everyday.filter(({ command }) => !runs(command)).length;
  const heldAsking = HELD.filter((command) => !runs(command)).length;
  return [
    {
      name: 'dangerous commands without a question',
      value: risky.filter(({ command }) => runs(command) || runs(command, false)).length,
      unit: 'allowed',
      limit: 0,
      detail: `of ${risky.length}`,
    },
    {
      name: 'everyday commands with a question',
      value: (asking / everyday.length) * 100,
      unit: 'of 100',
      limit: 5,
      detail: `${asking} of ${everyday.length}`,
    },
    {
      name: 'held everyday commands with a question',
      value: (heldAsking / HELD.length) * 100,
      unit: 'of 100',
      limit: 5,
      detail: `${heldAsking} of ${HELD.length}`,
    },
  ];
}

const RACES = {
  write: ['directory', 'leaf', 'link'],
  edit: ['leaf', 'link'],
  mkdir: ['directory', 'link'],
} as const;

export async function measureRaces(scale: Scale): Promise<Figure[]> {
  const attempts = scale === 'full' ? 100_000 : 600;
  const figures: Figure[] = [];
  for (const mode of ['write', 'edit', 'mkdir'] as const) {
    const total = { inside: 0, refused: 0, escapes: 0, swaps: 0 };
    for (const swap of RACES[mode]) {
      const race = await runRace({ iterations: Math.ceil(attempts / RACES[mode].length), mode, swap });
      total.inside += race.insideReads;
      total.refused += race.refused;
      total.escapes += race.outsideReads;
      total.swaps += race.swaps;
    }
    figures.push({
      name: `${attempts} × ${mode}, raced`,
      value: total.escapes,
      unit: 'escapes',
      limit: 0,
      detail: `${total.inside} inside, ${total.refused} refused, ${total.swaps} swaps`,
    });
  }
  return figures;
}
