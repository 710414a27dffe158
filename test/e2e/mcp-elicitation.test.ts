// What a server asks for while its tool runs, through the built binary: a real public server, on a terminal and without one.
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw, startTerminal } from '../support/lainclaw.ts';
import { createLocalGateway } from '../support/local-gateway.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const TOOL = 'mcp__everything__trigger-elicitation-request';
const INVOKE = ['tools', 'invoke', TOOL];

async function withEverything(): Promise<Home> {
  const home = testHome();
  await lainclaw(['mcp', 'add', 'everything', '--', process.execPath, EVERYTHING, 'stdio'], { home });
  return home;
}

/** Permits the call and then answers each prompt as it comes. */
async function answering(home: Home, ...answers: [prompt: string, typed: string][]): Promise<Finished> {
  const running = startTerminal(INVOKE, { home, env: { NO_COLOR: '1' } });
  for (const [prompt, typed] of [['[N] no ›', 'y\n'], ...answers] as const) {
    await running.saw(prompt);
    await running.write(typed);
  }
  const finished = await running.ended;
  return { ...finished, stdout: stripVTControlCharacters(finished.stdout) };
}

const OPTIONAL = ['firstLine', 'email', 'homepage', 'birthdate'];
const CHOICES = [
  'number',
  'untitledSingleSelectEnum',
  'untitledMultipleSelectEnum',
  'titledSingleSelectEnum',
  'titledMultipleSelectEnum',
  'legacyTitledEnum',
];
const left = (names: readonly string[]) => names.map((name): [string, string] => [`  ${name}`, '\n']);

describe.concurrent('a server that asks for input', () => {
  it('gets what the person filled in and looked at, and its own defaults for the rest', async () => {
    const { code, stdout } = await answering(
      await withEverything(),
      ['[N] decline', 'f\n'],
      ['  name ›', 'Ann\n'],
      ['  check ›', 'maybe\n'],
      ['accepted: yes or no', 'yes\n'],
      ...left(OPTIONAL),
      ['  integer [42] ›', '7\n'],
      ...left(CHOICES),
      ['[y] send', 'y\n'],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('? The server "everything" asks for input');
    expect(stdout).toContain('- name (a text; required): String, Your full, legal name');
    expect(stdout).not.toContain('[a] accept');
    for (const line of ['- Name: Ann', '- Agreed to terms: true', '- Favorite Integer: 7', '- Favorite Number: 3.14'])
      expect(stdout).toContain(line);
    expect(stdout).not.toContain('- Email');
  });

  it.each([
    ['Enter', '\n', 'User declined'],
    ['Ctrl-D', '\x04', 'User cancelled'],
  ])('is refused with %s', async (_, typed, outcome) => {
    const { stdout } = await answering(await withEverything(), ['[N] decline', typed]);
    expect(stdout).toContain(outcome);
    expect(stdout).not.toContain('Nobody can be asked');
  });

  it('asks in a turn as it does in a single call', async () => {
    const home = await withEverything();
    const running = startTerminal(['ask', `tool:${TOOL} {}`], { home, env: { NO_COLOR: '1' } });
    await running.saw('[N] no ›');
    await running.write('y\n');
    await running.saw('[N] decline');
    await running.write('n\n');
    expect((await running.ended).stdout).toContain('User declined');
  });

  it('asks the owner in a chat, field by field', async () => {
    const home = await withEverything();
    const gateway = createLocalGateway(home);
    afterFile(() => gateway.end('SIGKILL'));
    await gateway.start({});
    let written = 0;
    const write = (text: string): void => {
      written += 1;
      gateway.write({ id: `m${written}`, chatId: 'anna', senderId: 'anna', text });
    };
    /** Answers what comes next, once it is there. */
    const answer = async (prompt: string, typed: string): Promise<void> => {
      await gateway.until((lines) => lines.some(({ markdown = '' }) => markdown.includes(prompt)));
      write(typed);
    };
    write(`tool:${TOOL} {}`);
    await answer(`Allow ${TOOL}?`, '/approve');
    await answer('The server "everything" asks for input', 'f');
    await answer('\n  name\n', 'Ann');
    await answer('\n  check\n', 'maybe');
    await answer('accepted: yes or no', 'yes');
    for (const name of OPTIONAL) await answer(`\n  ${name}`, '-');
    await answer('\n  integer [42]', '7');
    for (const name of CHOICES) await answer(`\n  ${name}`, '-');
    await answer('Send this to the server "everything"?', 'y');
    const lines = await gateway.until((all) => all.some(({ markdown = '' }) => markdown.includes('- Name: Ann')));
    const result = lines.findLast(({ markdown = '' }) => markdown.includes('- Name: Ann'))?.markdown ?? '';
    for (const line of ['- Agreed to terms: true', '- Favorite Integer: 7', '- Favorite Number: 3.14'])
      expect(result).toContain(line);
    expect(result).not.toContain('- Email');
  });

  it('is not waited for after Ctrl-C', async () => {
    const { code } = await answering(await withEverything(), ['[N] decline', '\x03']);
    expect(code).toBe(130);
  });

  it('is declined where it is not a terminal, or nobody wants to be asked, and the result says so', async () => {
    const home = await withEverything();
    const piped = await lainclaw([...INVOKE, '--approve=auto'], { home });
    const auto = await startTerminal([...INVOKE, '--approve=auto'], { home }).ended;
    for (const { stdout } of [piped, auto]) {
      expect(stdout).toContain('User declined');
      expect(stdout).toContain('Nobody can be asked here, so it was declined.');
    }
  });
});
