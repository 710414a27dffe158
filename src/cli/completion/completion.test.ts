import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { list, oneOf, paths, single, switchOf, text } from '../flags.ts';
import { commandNameIn, placeIn } from './completion.ts';

function program(): Command {
  const all = new Command('lainclaw').helpCommand(false).version('1');
  const ask = all.command('ask').description('one turn').argument('[input...]');
  ask
    .addOption(single('--approve <how>', 'permission', oneOf(['ask', 'auto', 'never'])))
    .addOption(single('--memory <on|off>', 'memory', switchOf('on', 'off')))
    .addOption(single('-s, --session <key>', 'which', text))
    .addOption(list('--tool-allow <names>', 'only these'))
    .addOption(paths('--file <path>', 'attach; may be repeated'))
    .option('--json', 'JSON');
  const jobs = all.command('jobs').description('the jobs').helpCommand(false);
  jobs.command('remove').description('remove one').argument('<name>');
  jobs.command('work', { hidden: true });
  return all;
}

const place = (...words: string[]) => placeIn(program(), words);
const offered = (...words: string[]): string[] => place(...words).candidates.map(({ value }) => value);

describe('commands and flags', () => {
  it('offers commands, then their subcommands, and none that is hidden', () => {
    expect(offered('')).toEqual(['ask', 'jobs']);
    expect(offered('j')).toEqual(['jobs']);
    expect(offered('jobs', '')).toEqual(['remove']);
    expect(offered('nonsense', '')).toEqual(['ask', 'jobs']);
  });

  it('offers the flags of the command, a switch with its negation', () => {
    expect(offered('ask', '--')).toEqual([
      '--approve',
      '--memory',
      '--no-memory',
      '--session',
      '--tool-allow',
      '--file',
      '--json',
      '--help',
    ]);
    expect(offered('-')).toEqual(['--version', '--help']);
  });

  it('offers a flag once, unless it may be repeated', () => {
    expect(offered('ask', '--json', '--approve=ask', '-s', 'x', '--tool-allow', 'a', '--file=x', '--')).toEqual([
      '--memory',
      '--no-memory',
      '--tool-allow',
      '--file',
      '--help',
    ]);
  });

  it('offers no flag after --', () => {
    expect(offered('ask', '--', '--')).toEqual([]);
    expect(place('ask', '--', '--approve=').value).toMatchObject({ name: 'input', written: '--approve=' });
    expect(place('ask', '--', '--approve', '').value).toMatchObject({ name: 'input' });
  });
});

describe('values', () => {
  it.each([
    { words: ['ask', '--approve', 'a'], before: '', written: 'a' },
    { words: ['ask', '--approve=a'], before: '--approve=', written: 'a' },
    { words: ['ask', 'hi', '--json', '--approve', ''], before: '', written: '' },
  ])('of a flag: $words', ({ words, before, written }) =>
    expect(place(...words)).toMatchObject({
      value: { path: 'ask', name: '--approve', accepted: ['ask', 'auto', 'never'], before, written },
      candidates: [],
    }),
  );

  it('of a flag by its short name', () => {
    expect(place('ask', '-s', 'x').value).toMatchObject({ name: '--session', written: 'x' });
  });

  it('of a list, the last of it, knowing the others', () => {
    expect(place('ask', '--tool-allow=a,b,c').value).toMatchObject({
      before: '--tool-allow=a,b,',
      written: 'c',
      taken: ['a', 'b', ''],
    });
  });

  it('of a switch may be left out', () => {
    expect(offered('ask', '--memory', '')).toEqual(['on', 'off']);
    expect(place('ask', '--memory', 'hello', '').operands).toEqual(['hello']);
    expect(place('ask', '--memory', 'off', 'hello', '').operands).toEqual(['hello']);
  });

  it('of an argument, by its place', () => {
    expect(place('jobs', 'remove', 'x').value).toMatchObject({ path: 'jobs remove', name: 'name', written: 'x' });
    expect(place('jobs', 'remove', 'x', 'y').value).toBeUndefined();
    expect(place('ask', 'a', 'b', 'c').value).toMatchObject({ name: 'input', written: 'c' });
  });

  it('know the flags before it: a value may depend on them', () => {
    const { flags } = place('ask', '--session', 'a b', '--approve=auto', '--tool-allow', '');
    expect(Object.fromEntries(flags)).toEqual({ '--session': 'a b', '--approve': 'auto' });
  });
});

it('only a word that is finished names the command', () => {
  expect(commandNameIn(['ask'])).toBeUndefined();
  expect(commandNameIn(['ask', ''])).toBe('ask');
  expect(commandNameIn(['--help', 'ask', '--x'])).toBe('ask');
});
