import { testSandbox } from '../../test/conformance/sandbox.ts';
import { WAYS } from '../../test/support/sandbox-trial.ts';

for (const [name, open] of WAYS) testSandbox(`bubblewrap, ${name},`, open);
