// A command that plants what git would run, killed: after the next command git on the host runs nothing, and the person's settings are as they were.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRunsIt, plantScript, prepareHome } from '../support/git-on-host.ts';
import { run, type Scenario } from './scenario.ts';

const PERSON = 'real .; nested sub; printf "\\n[user]\\n\\tname = Ada\\n" >> .git/config';
const PLANT = 'evil >> sub/.git/config; bare x; mkdir -p y; hook sub/.git/hooks';

export function planting(): Scenario {
  const args = ['tools', 'invoke', 'bash', '--mode=auto', '--args', JSON.stringify({ command: 'bash plant.sh' })];
  return {
    name: 'a command that plants',
    args,
    async setUp(home) {
      prepareHome(home, { person: PERSON });
      home.file('plant.sh', plantScript(home, PLANT));
      await run(home, 'ask', 'hello');
    },
    async problems(home) {
      await run(home, 'sessions', 'list');
      const problems: string[] = [];
      if (gitRunsIt(home)) problems.push('git on the host ran what the command had planted');
      if (!readFileSync(join(home.workspace, '.git/config'), 'utf8').includes('name = Ada'))
        problems.push("the person's own settings are gone");
      const records = join(home.path, 'service/commands');
      if (existsSync(records) && readdirSync(records).length > 0) problems.push('the command is still on record');
      await run(home, ...args);
      if (gitRunsIt(home)) problems.push('git ran what the command planted when it ran again');
      return problems;
    },
  };
}
