// The model library as npm has it, with OpenAI's own SDK: a client that we did not write. What the tests import is changed as the build
// changes it (`scripts/lean-openai-sdk.ts`), so this is loaded beside the test runner.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const LIBRARY = join(import.meta.dirname, '../../node_modules/@earendil-works/pi-ai/dist');
const load = createRequire(import.meta.url);

/** `path`: of a module, as in an import of the library. */
export function unmodifiedPiAi<Module>(path: string): Module {
  return load(join(LIBRARY, `${path}.js`)) as Module;
}
