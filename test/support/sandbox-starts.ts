// A process that starts one sandbox after the other until it is killed (`sandbox-kills.ts`): says where, then starts.
import { SYSTEM_DIRECTORIES } from '../../src/sandbox/find-program.ts';
import { createTrial, trialOptions } from './sandbox-trial.ts';

const [way, programs] = process.argv.slice(2);
const trial = createTrial();
const sandbox = trial.bubblewrap({ directories: [...(programs ? [programs] : []), ...SYSTEM_DIRECTORIES] });
console.log(trial.root);
for (;;) {
  if (way === 'prepared') await sandbox.prepare?.(trial.script('true'));
  // A command that reads its input cannot be prepared.
  const command = trial.script('true', way === 'direct' ? { stdin: 'x' } : {});
  await sandbox.run(command, trialOptions({ expectsMore: way === 'prepared' }));
}
