import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { createProgram } from '../program.ts';
import type { Terminal } from '../terminal.ts';
import { kindOf, VALUES } from './values.ts';

const silent = { isTTY: false, write: () => {} };
const terminal = {
  environment: readEnvironment({ variables: {}, cwd: '/' }),
  out: silent,
  err: silent,
  signal: new AbortController().signal,
  cancelledExit: () => 1,
} as unknown as Terminal;

const open = (commandName: string | undefined): Promise<Command> =>
  createProgram({ version: '', terminal, commandName, replaced: {}, setExitCode: () => {} });

/** Every flag and argument that takes a value, in the whole program. */
async function everyValue(): Promise<{ path: string; name: string }[]> {
  const names = (await open(undefined)).commands.map((command) => command.name());
  const loaded = await Promise.all(
    names.map(async (name) => (await open(name)).commands.find((command) => command.name() === name) as Command),
  );
  return loaded.flatMap((command) => valuesOf(command, command.name()));
}

function valuesOf(command: Command, path: string): { path: string; name: string }[] {
  return [
    ...command.options.filter(({ required }) => required).map(({ long = '' }) => ({ path, name: long })),
    ...command.registeredArguments.map((argument) => ({ path, name: argument.name() })),
    ...command.commands.flatMap((each) => valuesOf(each, `${path} ${each.name()}`)),
  ];
}

it('every row is of a flag or an argument that there is', async () => {
  const rows = new Set(Object.keys(VALUES));
  for (const { path, name } of await everyValue()) {
    const words = path.split(' ');
    for (let length = 1; length <= words.length; length += 1)
      rows.delete(`${words.slice(0, length).join(' ')} ${name}`);
    rows.delete(name);
  }
  expect([...rows]).toEqual([]);
});

it.each([
  ['schedule remove', 'name', 'jobs'],
  ['schedule add', 'name', 'nothing'],
  ['memory model use', 'name', 'memoryModels'],
  ['memory model add', '--file', 'nothing'],
  ['ask', '--file', 'files'],
  ['pairing approve', 'code', undefined],
])('%s %s: %s', (path, name, kind) => expect(kindOf({ path, name })).toBe(kind));
