// A static model (the Model2Vec layout): a table with one vector a token. The vector of a text is the mean of its tokens'.
// It needs no runtime and no graph, and embeds thousands of texts a second. Runs in the worker only.
import { jsonOf, type ModelFiles, ModelProblem, type ModelSession, requiredJson } from './model-session.ts';
import { normalise } from './pool.ts';
import { readTensors, type Tensors } from './safetensors.ts';

const TEXTS_AT_ONCE = 64;
const LONGEST_TOKENS = 512;

export async function openStaticSession(
  files: ModelFiles,
  { manifest }: { manifest: { name: string; file: string } },
): Promise<ModelSession> {
  const { table, rows, dimension, rowOf, weightOf } = tableOf(files.get(manifest.file), manifest.name);
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizerFile = requiredJson(files, 'tokenizer.json');
  const tokenizer = new Tokenizer(tokenizerFile, jsonOf(files, 'tokenizer_config.json'));
  const unknown = unknownToken(tokenizerFile);

  function embed(text: string): Float32Array {
    const sum = new Float32Array(dimension);
    const { ids } = tokenizer.encode(text, { add_special_tokens: false });
    for (const id of ids.slice(0, LONGEST_TOKENS)) {
      if (id === unknown) continue;
      const row = rowOf(id);
      if (row < 0 || row >= rows) continue;
      const weight = weightOf(id);
      for (let at = 0; at < dimension; at += 1) sum[at] = (sum[at] ?? 0) + weight * (table[row * dimension + at] ?? 0);
    }
    return normalise(sum);
  }

  return {
    fitting: (texts) => Math.min(texts.length, TEXTS_AT_ONCE),
    run: async (texts) => texts.map(embed),
  };
}

interface Table {
  table: Float32Array;
  rows: number;
  dimension: number;
  /** The row of a token; several tokens may share a row. */
  rowOf(token: number): number;
  weightOf(token: number): number;
}

function tableOf(bytes: Uint8Array | undefined, name: string): Table {
  let tensors: Tensors;
  try {
    tensors = readTensors(bytes ?? new Uint8Array());
  } catch (error) {
    throw new ModelProblem(`the model "${name}" cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const table = tensors.get('embeddings');
  const [rows = 0, dimension = 0] = table?.shape ?? [];
  if (table?.shape.length !== 2 || rows < 1 || dimension < 1) {
    throw new ModelProblem(
      `the model "${name}" is not a static model: its .safetensors holds no table "embeddings". Give a folder with its ONNX files instead`,
    );
  }
  const mapping = tensors.get('mapping')?.values;
  const weights = tensors.get('weights')?.values;
  return {
    table: table.values,
    rows,
    dimension,
    rowOf: (token) => (mapping ? (mapping[token] ?? -1) : token),
    weightOf: (token) => (weights ? (weights[token] ?? 0) : 1),
  };
}

function unknownToken(tokenizer: Record<string, unknown>): number | undefined {
  const model = (tokenizer.model ?? {}) as { unk_token?: unknown; unk_id?: unknown; vocab?: unknown };
  if (typeof model.unk_id === 'number') return model.unk_id;
  if (typeof model.unk_token !== 'string' || typeof model.vocab !== 'object') return undefined;
  return (model.vocab as Record<string, number>)[model.unk_token];
}
