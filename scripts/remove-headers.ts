// The package that brings Node for a clone contains its C++ headers too: 67 MB, and nothing here is compiled against them.
import { globSync, rmSync } from 'node:fs';

for (const path of globSync('node_modules/node/node_modules/*/include')) rmSync(path, { recursive: true });
