import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDecider } from '../../../test/support/decide-fixture.ts';
import { MODES } from '../../config/mode.ts';

const decide = createDecider({});
const ARGS = { key: 'model', value: 'x' };

it.each(MODES.flatMap((mode) => [false, true].map((tainted) => ({ mode, tainted }))))(
  'a tool that always asks is approved by a person in mode $mode, tainted: $tainted',
  ({ mode, tainted }) => {
    const decision = decide('configure', ARGS, { mode, tainted, allow: ['config_set'], isContained: true });
    if (mode === 'plan') return expect(decision.verdict).toBe('deny');
    expect(decision).toMatchObject({ verdict: 'ask', needsPerson: true, scopes: ['once'], rememberAs: [] });
    expect(decision.reasons.join()).toContain('config_set asks a person each time');
    if (tainted) expect(decision.reasons.join()).toContain('content from outside');
  },
);

it('no rule and no earlier answer replaces the person, and a deny rule still denies', () => {
  fc.assert(
    fc.property(
      fc.record({
        mode: fc.constantFrom(...MODES),
        tainted: fc.boolean(),
        isContained: fc.boolean(),
        allow: fc.subarray(['config_set', '*', 'bash']),
        ask: fc.subarray(['config_set', '*']),
        answered: fc.option(fc.record({ as: fc.constant(['config_set']), tainted: fc.boolean() }), { nil: undefined }),
      }),
      (given) => {
        const { verdict, scopes } = decide('configure', ARGS, given);
        expect([verdict, scopes]).toEqual([given.mode === 'plan' ? 'deny' : 'ask', ['once']]);
        expect(decide('configure', ARGS, { ...given, deny: ['config_set'] }).verdict).toBe('deny');
      },
    ),
  );
});
