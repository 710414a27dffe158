import { describe, expect, test } from 'vitest';
import { testSandbox } from '../../test/conformance/sandbox.ts';
import { createTrial, trialOptions } from '../../test/support/sandbox-trial.ts';
import { createNone } from './none.ts';

testSandbox('none', (trial) => trial.none());

describe('none', () => {
  test('it says that it isolates nothing and holds no limit', async () => {
    const trial = createTrial();
    const none = trial.none();
    expect(none.isolates).toBe(false);
    expect(await none.available()).toEqual({ ok: true, limits: { memory: 'none', processes: 'none' } });
    const finished = await none.run(trial.script(`echo out > ${trial.path('outside/written')}`), trialOptions());
    expect(finished.exitCode).toBe(0);
    trial.remove();
  });

  test('without mkfifo it cannot work, and says what to install', async () => {
    const trial = createTrial();
    const none = createNone({ temporary: trial.temporary, newId: String, directories: [trial.path('outside')] });
    await expect(none.run(trial.script('true'), trialOptions())).rejects.toMatchObject({
      code: 'unavailable',
      message: 'mkfifo was not found: install coreutils',
    });
    trial.remove();
  });
});
