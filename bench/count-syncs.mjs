// Loaded before a worker: counts how often its JavaScript waits for the disk. What SQLite syncs by itself is not counted.
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

let syncs = 0;
/** Nothing else that a worker could ask: it is bundled apart from this file. */
globalThis.countedSyncs = () => syncs;

const count = (of, name) => {
  const original = of[name];
  of[name] = function (...args) {
    syncs += 1;
    return original.apply(this, args);
  };
};

for (const name of ['fsync', 'fdatasync', 'fsyncSync', 'fdatasyncSync']) count(fs, name);
const handle = await open(process.execPath);
for (const name of ['sync', 'datasync']) count(Object.getPrototypeOf(handle), name);
await handle.close();
syncBuiltinESMExports();
