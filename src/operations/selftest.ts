// What a person can try out on their own machine and disk.
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

export const runSelftest = defineOperation({
  name: 'selftest.run',
  class: 'change',
  summary:
    'Test what Lainclaw needs of this machine and its disk: locks, syncs, replacing files, databases, clock, sandbox.',
  input: NO_INPUT,
  output: objectWith({
    passed: { ...YES_OR_NO, description: 'there is no problem; there may be advice' },
    checks: listOf(objectWith({ name: TEXT, state: { enum: ['ok', 'advice', 'problem'] }, message: TEXT })),
  }),
  async run(_input, { runtime }) {
    const selftest = await import('../runtime/selftest/selftest.ts');
    const { environment, sandbox } = runtime;
    const checks = await selftest.runSelftest({ home: environment.home, sandbox, now: environment.now });
    return { passed: checks.every(({ state }) => state !== 'problem'), checks };
  },
});
