// A static embedding model of our own for the tests, small enough to be written on the spot: words of one meaning share a
// direction, and every other word has one of its own. It shows that a local model is added, checked, loaded and used.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddingModel } from '../../src/memory/embeddings/embeddings.ts';
import { createLocalModel } from '../../src/memory/embeddings/local-model.ts';

export const TINY_MODEL_DIMENSION = 32;

const MEANINGS = [
  ['cat', 'kitten', 'feline', 'pet', 'murka'],
  ['lorry', 'vehicle', 'tyres', 'maintenance', 'truck'],
  ['bakery', 'rye', 'loaves', 'bread'],
  ['share', 'prices', 'market', 'fell'],
  ['sleeps', 'napping', 'sofa', 'couch'],
];
const OTHERS = ['a', 'the', 'is', 'our', 'on', 'needs', 'new', 'we', 'buy', 'sunday', 'today', 'question', 'words'];
const FILES = ['tokenizer.json', 'tokenizer_config.json', 'config.json', 'model.safetensors'];

/** Writes the model into this folder, which is made. */
export function writeTinyModel(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const words = ['[UNK]', ...MEANINGS.flat(), ...OTHERS];
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  };
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), '{}');
  writeFileSync(join(folder, 'config.json'), '{"normalize":true}');
  writeFileSync(join(folder, 'model.safetensors'), safetensors(words.map(vectorOf)));
  return folder;
}

/** Ready to embed; the caller closes it. */
export function openTinyModel(folder: string): EmbeddingModel {
  writeTinyModel(folder);
  const files = FILES.map((path) => {
    const bytes = readFileSync(join(folder, path));
    return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const facts = { version: 1 as const, name: 'tiny', from: folder, addedAt: '', file: 'model.safetensors' };
  return createLocalModel({ folder, manifest: { ...facts, dimension: TINY_MODEL_DIMENSION, files } });
}

function vectorOf(word: string): number[] {
  const meaning = MEANINGS.findIndex((words) => words.includes(word));
  const own =
    MEANINGS.length + ((createHash('sha256').update(word).digest()[0] ?? 0) % (TINY_MODEL_DIMENSION - MEANINGS.length));
  return Array.from({ length: TINY_MODEL_DIMENSION }, (_, at) => {
    if (word === '[UNK]') return 0;
    return (at === meaning ? 1 : 0) + (at === own ? 0.1 : 0);
  });
}

function safetensors(rows: number[][]): Buffer {
  const numbers = Buffer.from(Float32Array.from(rows.flat()).buffer);
  const header = JSON.stringify({
    embeddings: { dtype: 'F32', shape: [rows.length, rows[0]?.length ?? 0], data_offsets: [0, numbers.length] },
  });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), numbers]);
}
