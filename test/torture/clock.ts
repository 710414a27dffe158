// A clock that is set forth and back between commands: every turn is kept in order, an hourly job never runs a slot twice, and what the clock
// passes in the end has run.
import { createHome } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { generalProblems } from './scenario.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2027, 2, 1, 8, 59);

export async function jumpClock(jumps: number, random: () => number): Promise<{ line: string; problems: string[] }> {
  const home = createHome();
  let wall = START;
  const now = (): number => wall;
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await lainclaw(args, { home, now });
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr.slice(0, 300)}`);
    return stdout;
  };
  const problems: string[] = [];
  let asked = 0;
  try {
    await run('schedule', 'add', 'hourly', '--cron', '0 * * * *', '--message', 'hello');
    for (let jump = 0; jump < jumps; jump += 1) {
      wall = START + Math.round((random() - 0.2) * 48 * HOUR);
      if (jump % 10 === 0) {
        await run('ask', `question ${asked}`);
        asked += 1;
      } else await run('schedule', 'run-due');
    }
    wall = START + 60 * HOUR;
    await run('schedule', 'run-due');
    const shown = JSON.parse(await run('sessions', 'show', 'main', '--last', '1000', '--json')) as {
      messages: { role: string; content: string }[];
    };
    const questions = shown.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    if (questions.join() !== Array.from({ length: asked }, (_, index) => `question ${index}`).join())
      problems.push(`the turns are ${questions.join(', ')}`);
    const runs = JSON.parse(await run('schedule', 'history', 'hourly', '--limit', '1000', '--json')) as {
      status: string;
      slot?: string;
    }[];
    const slots = runs.flatMap(({ status, slot }) => (status === 'ok' && slot !== undefined ? [slot] : []));
    if (new Set(slots).size !== slots.length) problems.push('a slot ran twice');
    if (slots.length === 0) problems.push('no slot ran');
    problems.push(...generalProblems(home));
    return { line: `${jumps} jumps, ${asked} turns, ${slots.length} slots of a job`, problems };
  } finally {
    home.remove();
  }
}
