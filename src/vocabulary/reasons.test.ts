import { expect, it } from 'vitest';
import { REASONS, type ReasonCode, readReasons, reasonText } from './reasons.ts';

const codes = Object.keys(REASONS) as ReasonCode[];

it.each(codes)('%s is read back with its values', (code) => {
  const names = [...REASONS[code].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = Object.fromEntries(names.map((name) => [name, name === 'because' ? 'it only reads' : `the ${name}`]));
  const { because, reasons, ...own } = values;
  expect(readReasons(reasonText(code, values))).toEqual([
    { code, values: own, leads: because !== undefined || reasons !== undefined },
    ...(because === undefined ? [] : [{ code: 'only-reads', values: {}, leads: false }]),
    ...(reasons === undefined ? [] : [{ text: 'the reasons' }]),
  ]);
});

it('several reasons are read one by one, and text of somebody else stays text', () => {
  expect(readReasons('it only reads; a rule allows it')).toEqual([
    { code: 'only-reads', values: {}, leads: false },
    { code: 'rule', values: {}, leads: false },
  ]);
  expect(readReasons('bash is denied: no deployments on Friday; the rule "bash(npm *)" denies it')).toEqual([
    { code: 'denied', values: { tool: 'bash' }, leads: true },
    { text: 'no deployments on Friday' },
    { code: 'rule-denies', values: { rule: 'bash(npm *)' }, leads: false },
  ]);
  expect(readReasons('something else; a rule allows it')).toBeUndefined();
});

it.each([' is protected: ', ' is denied: '])(
  'a long name with the words of a sentence many times over stays text: %j',
  (words) => {
    const path = `/x${words.repeat(5_000)}y`;
    const isText = readReasons(reasonText('protected', { path, because: 'it holds credentials' })) === undefined;
    expect(isText).toBe(true);
  },
);
