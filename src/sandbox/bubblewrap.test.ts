import { testSandbox } from './conformance.ts';

testSandbox('bubblewrap', (trial) => trial.bubblewrap());
