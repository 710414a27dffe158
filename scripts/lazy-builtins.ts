// `node:fs/promises` loads two milliseconds of modules, readline among them, and most commands that import it never call it. In what we
// bundle of our own code each of its functions loads it with the first call.
import * as promises from 'node:fs/promises';
import type { Plugin } from 'rolldown';

const NAME = 'node:fs/promises';
const LAZY = '\0lazy-fs-promises';

const functions = Object.entries(promises).filter(([, value]) => typeof value === 'function');
const CODE = [
  `const loaded = () => process.getBuiltinModule('${NAME}');`,
  ...functions.map(([name]) => `export const ${name} = (...args) => loaded().${name}(...args);`),
  "export { constants } from 'node:fs';",
].join('\n');

export const lazyFsPromises: Plugin = {
  name: 'lazy-fs-promises',
  resolveId: (id, importer) => (id === NAME && importer && /[\\/]src[\\/].*\.ts$/.test(importer) ? LAZY : undefined),
  load: (id) => (id === LAZY ? CODE : undefined),
};
