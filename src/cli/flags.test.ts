import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandSwitches, integerFrom, oneOf } from './flags.ts';

const SWITCHES = { memory: ['on', 'off'], 'with-tools': ['true', 'false'] } as const;
const expand = (...argv: string[]): string[] => expandSwitches(argv, SWITCHES);

describe('switches', () => {
  it.each([
    [
      ['ask', '--memory', 'hi'],
      ['ask', '--memory=on', 'hi'],
    ],
    [
      ['ask', '--memory', 'off', 'hi'],
      ['ask', '--memory=off', 'hi'],
    ],
    [
      ['ask', '--memory', 'on'],
      ['ask', '--memory=on'],
    ],
    [
      ['ask', '--no-memory', 'off'],
      ['ask', '--memory=off', 'off'],
    ],
    [
      ['ask', '--memory=off', 'hi'],
      ['ask', '--memory=off', 'hi'],
    ],
    [
      ['ask', '--memory=maybe'],
      ['ask', '--memory=maybe'],
    ],
    [
      ['ask', '--with-tools', 'false'],
      ['ask', '--with-tools=false'],
    ],
    [
      ['ask', '--with-tools', 'on'],
      ['ask', '--with-tools=true'],
    ],
    [
      ['ask', '--no-with-tools'],
      ['ask', '--with-tools=false'],
    ],
    [
      ['ask', '--', '--memory'],
      ['ask', '--', '--memory'],
    ],
    [
      ['ask', '--no-new-session', '--other', 'on'],
      ['ask', '--no-new-session', '--other', 'on'],
    ],
    [
      ['ask', '--memory', 'true', 'hi'],
      ['ask', '--memory=on', 'hi'],
    ],
    [
      ['ask', '--memory', 'false', 'hi'],
      ['ask', '--memory=off', 'hi'],
    ],
    [['--memory'], ['--memory=on']],
    [[], []],
  ])('%j become %j', (argv, expanded) => {
    expect(expand(...argv)).toEqual(expanded);
  });

  it('leave alone names that objects have', () => {
    expect(expand('--constructor', '--__proto__', '--no-toString')).toEqual([
      '--constructor',
      '--__proto__',
      '--no-toString',
    ]);
  });

  it('change nothing that is not a switch', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (argv) => {
        fc.pre(argv.every((word) => !/^--(no-)?(memory|with-tools)$/.test(word)));
        expect(expand(...argv)).toEqual(argv);
      }),
    );
  });

  it('once expanded stay as they are', () => {
    const word = fc.oneof(
      fc.constantFrom('--memory', '--no-memory', 'on', 'off', '--with-tools', 'true', '--', 'hi'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        expect(expand(...expand(...argv))).toEqual(expand(...argv));
      }),
    );
  });
});

describe('values', () => {
  it.each(['1', '3', '007', '9007199254740991'])('%s is a whole number from 1', (value) => {
    expect(integerFrom(1)(value)).toBe(Number(value));
  });

  it.each(['0', '-1', '1.5', '1e3', '0x1', ' 1', '1 ', '', 'Infinity', 'NaN', '１', '9007199254740992'])(
    '"%s" is none',
    (value) => {
      expect(() => integerFrom(1)(value)).toThrow(/whole number of at least 1/);
    },
  );

  it('one of a few: another value is refused with the list', () => {
    expect(oneOf(['a', 'b'])('b')).toBe('b');
    expect(() => oneOf(['a', 'b'])('c')).toThrow('Accepted: a, b.');
  });
});
