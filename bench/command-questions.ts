// Which shell commands ask. Of everyday commands that only read, few may ask needlessly; of dangerous ones none may run unasked. Judged by the function that decides,
// nothing is run. The held commands were written after the readers and never looked at while these were extended.
import { classifyCommand } from '../src/tools/permissions/classify-command.ts';
import { createCommandParser } from '../src/tools/permissions/parse-command.ts';
import { COMMANDS } from '../test/corpora/commands.ts';
import { HELD } from '../test/corpora/commands-held.ts';
import type { Bench } from './bench.ts';

const NEEDLESS_PERCENT = 5;
const CONTEXT = {
  workspaceRoot: '/home/u/project',
  directory: '/home/u/project',
  userHome: '/home/u',
  lainclawHome: '/home/u/.lainclaw',
};

export const commandQuestions: Bench = {
  name: 'commands',
  async run() {
    const parse = await createCommandParser();
    const runsUnasked = (command: string, isContained: boolean): boolean =>
      classifyCommand(parse(command), { ...CONTEXT, isContained }).verdict === 'read-only';
    const labelled = (label: string): string[] =>
      COMMANDS.flatMap((each) => (each.label === label ? [each.command] : []));
    const asking = (commands: readonly string[]): string[] => commands.filter((command) => !runsUnasked(command, true));
    const everyday = labelled('safe');
    const effects = [...labelled('danger'), ...labelled('ask')];
    const unasked = effects.filter((command) => runsUnasked(command, true) || runsUnasked(command, false));
    const needless = (name: string, commands: readonly string[]) => ({
      name,
      value: (asking(commands).length / commands.length) * 100,
      unit: '% ask needlessly',
      limit: NEEDLESS_PERCENT,
      detail: `${asking(commands).length} of ${commands.length}: ${asking(commands).join(' ¦ ')}`,
    });
    return [
      needless('held commands that only read', HELD),
      needless('known commands that only read', everyday),
      {
        name: 'commands with effects',
        value: unasked.length,
        unit: 'run unasked',
        limit: 0,
        detail: `of ${effects.length}, ${labelled('danger').length} of them dangerous; in a sandbox and without`,
      },
    ];
  },
};
