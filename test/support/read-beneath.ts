export { readBeneath } from '../../src/workspace/read-beneath.ts';
