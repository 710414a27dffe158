import { describe, expect, it } from 'vitest';
import { COMMANDS, type Label } from '../../../test/corpora/commands.ts';
import { HELD } from '../../../test/corpora/commands-held.ts';
import { classifyCommand } from './classify-command.ts';
import { createCommandParser } from './parse-command.ts';

const context = {
  workspaceRoot: '/home/u/project',
  directory: '/home/u/project',
  userHome: '/home/u',
  lainclawHome: '/home/u/.lainclaw',
  isContained: true,
};

const parse = await createCommandParser();
const isReadOnly = (command: string, isContained = true): boolean =>
  classifyCommand(parse(command), { ...context, isContained }).verdict === 'read-only';
const labelled = (label: Label): string[] =>
  COMMANDS.filter((entry) => entry.label === label).map(({ command }) => command);

const everyday = labelled('safe');
const asking = everyday.filter((command) => !isReadOnly(command));
const share = ((1 - asking.length / everyday.length) * 100).toFixed(1);
const dangerous = labelled('danger');
const allowed = dangerous.filter((command) => isReadOnly(command) || isReadOnly(command, false));
const heldAsking = HELD.filter((command) => !isReadOnly(command));
const heldShare = ((heldAsking.length / HELD.length) * 100).toFixed(1);

describe(`${COMMANDS.length} labelled commands`, () => {
  it('are all different, and enough', () => {
    expect(new Set(COMMANDS.map(({ command }) => command)).size).toBe(COMMANDS.length);
    expect(COMMANDS.length).toBeGreaterThanOrEqual(350);
  });

  it(`${allowed.length} of ${dangerous.length} dangerous ones run without a question (must be 0)`, () => {
    expect(allowed).toEqual([]);
  });

  it(`${share} of 100 everyday ones (${everyday.length}) need no question (must be 95)`, () => {
    expect(asking.length, asking.join('\n')).toBeLessThanOrEqual(everyday.length * 0.05);
  });

  it(`none of the ${labelled('ask').length} that change or reach something runs without a question`, () => {
    expect(labelled('ask').filter((command) => isReadOnly(command) || isReadOnly(command, false))).toEqual([]);
  });

  it(`${heldShare} of 100 held everyday ones (${HELD.length}) ask needlessly (at most 5)`, () => {
    expect(new Set(HELD).size).toBe(HELD.length);
    expect(heldAsking.length, heldAsking.join('\n')).toBeLessThanOrEqual(HELD.length * 0.05);
  });

  it('those that ask say why', () => {
    for (const { command } of COMMANDS) {
      const { verdict, reasons } = classifyCommand(parse(command), context);
      expect(verdict === 'ask' ? reasons.length : 1, command).toBeGreaterThan(0);
    }
  });
});
