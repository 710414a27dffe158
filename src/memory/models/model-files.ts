// Chooses the files of an embedding model from a folder in the Hugging Face layout. Only these are copied.
import { MemoryError } from '../memory-error.ts';

/**
 * The first existing file is used: the exact graph, then 8-bit, then 4-bit (half floats are slow without a GPU); without any
 * graph, the table of a static model.
 */
const GRAPHS = ['model', 'model_quantized', 'model_int8', 'model_uint8', 'model_q4', 'model_bnb4'].flatMap((name) => [
  `${name}.onnx`,
  `onnx/${name}.onnx`,
]);
const STATIC_TABLE = 'model.safetensors';
const REQUIRED = ['tokenizer.json'];
const OPTIONAL = [
  'tokenizer_config.json',
  'config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'modules.json',
  '1_Pooling/config.json',
];
const LARGEST_TOTAL = 2_000_000_000;
const MOST_PARTS = 20;

export interface CopiedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** A place that a model's files are copied from. */
export interface ModelSource {
  /** The place, for the record: without anything secret. */
  from: string;
  /** Default name of the model. */
  name: string;
  /** True when the files come over the network. */
  isRemote: boolean;
  /** Copies one file of at most `limit` bytes; undefined when it does not exist. */
  take(path: string, limit: number, signal?: AbortSignal): Promise<CopiedFile | undefined>;
}

export interface Taken {
  /** The graph. */
  file: string;
  files: CopiedFile[];
}

export interface TakeOptions {
  /** Chooses one of several graphs. */
  file?: string;
  /** What the checksum of each of these files must be. */
  sums?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  onFile?: (file: CopiedFile) => void;
}

export async function takeModel(source: ModelSource, { file, sums = {}, signal, onFile }: TakeOptions): Promise<Taken> {
  const files: CopiedFile[] = [];
  let left = LARGEST_TOTAL;
  const take = async (path: string): Promise<boolean> => {
    signal?.throwIfAborted();
    const copied = await source.take(path, left, signal);
    if (!copied) return false;
    if (sums[path] !== undefined && sums[path] !== copied.sha256) throw notAsAnnounced(`${path} of ${source.from}`);
    left -= copied.bytes;
    files.push(copied);
    onFile?.(copied);
    return true;
  };
  for (const path of REQUIRED) if (!(await take(path))) throw missing(source, path);
  const graph = await firstOf(file === undefined ? [...GRAPHS, STATIC_TABLE] : [checked(file)], take);
  if (graph === undefined) throw missing(source, file ?? `model.onnx, no onnx/model*.onnx and no ${STATIC_TABLE}`);
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const suffix = part === 0 ? '' : `_${part}`;
    if (!(await take(`${graph}_data${suffix}`))) break;
  }
  await take(`${graph}.data`);
  for (const path of OPTIONAL) await take(path);
  return { file: graph, files };
}

async function firstOf(
  paths: readonly string[],
  take: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const path of paths) if (await take(path)) return path;
  return undefined;
}

function checked(file: string): string {
  if (/^[\w.-]+(\/[\w.-]+)?\.(onnx|safetensors)$/.test(file) && !file.includes('..')) return file;
  throw new MemoryError(
    'MEMORY_MODEL',
    `"${file}" does not name the file of a model: give it like onnx/model_quantized.onnx or model.safetensors`,
  );
}

function missing({ from }: ModelSource, path: string): MemoryError {
  return new MemoryError(
    'MEMORY_MODEL',
    `${from} holds no ${path}: give an embedding model in the Hugging Face layout, with its ONNX files or its static table`,
  );
}

export function tooLarge(from: string): MemoryError {
  return new MemoryError('MEMORY_MODEL', `${from} is too large: a model may have ${LARGEST_TOTAL / 1e9} GB in all`);
}

export function notAsAnnounced(from: string): MemoryError {
  return new MemoryError(
    'MEMORY_MODEL',
    `${from} is not the file that was announced (its checksum differs): nothing was added. Try again, or choose another source`,
  );
}
