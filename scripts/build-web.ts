// Builds the web console into dist/web, with each file compressed beside it: the gateway sends those as they are.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

interface BuiltPage {
  output: readonly { moduleIds?: readonly string[] }[];
}

/** Below it, compressing is not worth a file. */
const SMALLEST = 1_024;

/** Resolves with the paths of everything that is in the page's code. */
export async function buildWeb(): Promise<string[]> {
  const built = (await build({ configFile: 'web/vite.config.ts' })) as BuiltPage;
  for (const path of globSync('dist/web/**/*.{js,css,svg,webmanifest}')) {
    const bytes = readFileSync(path);
    if (bytes.length < SMALLEST) continue;
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
  return built.output.flatMap(({ moduleIds = [] }) => moduleIds);
}
