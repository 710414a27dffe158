import { beforeAll, describe, expect, it } from 'vitest';
import { classifyCommand } from './classify-command.ts';
import type { CommandParser } from './command.ts';
import { COMMANDS, type Label } from './commands.table.ts';
import { createCommandParser } from './parse-command.ts';

const context = {
  workspaceRoot: '/home/u/project',
  directory: '/home/u/project',
  userHome: '/home/u',
  lainclawHome: '/home/u/.lainclaw',
};

let parse: CommandParser;
beforeAll(async () => {
  parse = await createCommandParser();
});

const isReadOnly = (command: string): boolean => classifyCommand(parse(command), context).verdict === 'read-only';
const labelled = (label: Label): string[] =>
  COMMANDS.filter((entry) => entry.label === label).map(({ command }) => command);

describe(`${COMMANDS.length} labelled commands`, () => {
  it('no command is listed twice', () => {
    expect(new Set(COMMANDS.map(({ command }) => command)).size).toBe(COMMANDS.length);
    expect(COMMANDS.length).toBeGreaterThanOrEqual(350);
  });

  it(`0 of ${labelled('danger').length} dangerous commands run without a question`, () => {
    expect(labelled('danger').filter(isReadOnly)).toEqual([]);
  });

  it(`0 of ${labelled('ask').length} commands that change or reach something run without a question`, () => {
    expect(labelled('ask').filter(isReadOnly)).toEqual([]);
  });

  it(`at least 95 of 100 everyday commands need no question (of ${labelled('safe').length})`, ({ annotate }) => {
    const asking = labelled('safe').filter((command) => !isReadOnly(command));
    const share = 1 - asking.length / labelled('safe').length;
    annotate(`${(share * 100).toFixed(1)} % need no question; these ask: ${asking.join(' · ')}`);
    expect(asking.length, asking.join('\n')).toBeLessThanOrEqual(labelled('safe').length * 0.05);
  });

  it('every command that asks says why', () => {
    for (const { command } of COMMANDS) {
      const { verdict, reasons } = classifyCommand(parse(command), context);
      expect(verdict === 'ask' ? reasons.length : 1, command).toBeGreaterThan(0);
    }
  });
});
