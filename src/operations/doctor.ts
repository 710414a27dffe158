// Checks of the installation: what works, what does not, and the command that repairs it.
import { fileProblemText, repairText } from '../storage/file-problems.ts';
import { runChecks } from './doctor-checks.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, WORDED, YES_OR_NO } from './schemas.ts';

export const checkInstallation = defineOperation({
  name: 'doctor.check',
  class: 'read',
  summary: 'Check the installation: what works, what does not, and the command that repairs it.',
  input: NO_INPUT,
  output: objectWith({
    healthy: { ...YES_OR_NO, description: 'there is no problem; there may be advice' },
    checks: listOf(
      objectWith(
        { name: TEXT, state: { enum: ['ok', 'advice', 'problem'] }, finding: WORDED, message: TEXT },
        { advice: WORDED, fix: TEXT },
      ),
    ),
  }),
  async run(_input, context) {
    const checks = await runChecks(context);
    return { healthy: checks.every(({ state }) => state !== 'problem'), checks };
  },
});

export const repairInstallation = defineOperation({
  name: 'doctor.repair',
  class: 'danger',
  summary:
    'Repair damaged files of the home: from the automatic backup, from checksums, or by making them again; what is replaced is kept in a folder of its own.',
  input: NO_INPUT,
  output: objectWith({
    repaired: listOf(objectWith({ path: TEXT, steps: listOf(WORDED), done: TEXT, isRepaired: YES_OR_NO })),
    left: { ...listOf(objectWith({ path: TEXT, problem: TEXT })), description: 'what a second check still finds' },
    healthy: { ...YES_OR_NO, description: 'no file of the home is damaged any more' },
  }),
  async run(_input, { runtime, signal }) {
    const home = await runtime.homeCheck();
    const { findings } = await home.check({ signal });
    const wrong = findings.filter(
      ({ state, remedy }) => state === 'problem' || remedy === 'lines' || remedy === 'private',
    );
    const repaired = wrong.length > 0 ? await home.repair(wrong, { now: runtime.environment.now(), signal }) : [];
    const after = await home.check({ signal });
    const left = after.findings
      .filter(({ state }) => state === 'problem')
      .map(({ path, problem }) => ({ path, problem: fileProblemText(problem) }));
    const shown = repaired.map(({ done, ...each }) => ({ ...each, steps: done, done: repairText(done) }));
    return { repaired: shown, left, healthy: left.length === 0 };
  },
});
