import { testSandbox } from '../../test/conformance/sandbox.ts';

testSandbox('bubblewrap', (trial) => trial.bubblewrap());
