// A worker of a bench as what people run is: bundled. From the sources, the compiler's own memory and time would be counted too.
import { join } from 'node:path';
import { build } from 'rolldown';
import { leanOpenAiSdk } from '../scripts/lean-openai-sdk.ts';

/** Returns the path of the bundled file. */
export async function bundleWorker(source: string, directory: string): Promise<string> {
  await build({
    input: source,
    platform: 'node',
    plugins: [leanOpenAiSdk],
    transform: { target: 'node22.19', define: { __VERSION__: '"bench"' } },
    logLevel: 'silent',
    output: { dir: directory, format: 'cjs', entryFileNames: 'worker.cjs', chunkFileNames: '[name]-[hash].cjs' },
  });
  return join(directory, 'worker.cjs');
}
