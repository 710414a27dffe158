// The property-testing library as every test gets it: with one seed, so that a run on another machine tells the same.
// `npm run fuzz` explores with a new seed each time; what it finds becomes an example of its test.
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const SEED = 20_261_115;

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(process.env.LAINCLAW_FUZZ ? {} : { seed: SEED }) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
