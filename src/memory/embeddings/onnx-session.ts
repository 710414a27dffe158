// A model with an ONNX graph: texts → tokens → the graph → one vector each. Runs in the worker only.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModelManifest } from '../models/manifest.ts';
import { entryOf } from '../models/onnx-runtime.ts';
import { poolingOf } from './model-pooling.ts';
import {
  jsonOf,
  MissingRuntime,
  type ModelFiles,
  ModelProblem,
  type ModelSession,
  type ModelSessionOptions,
  requiredJson,
} from './model-session.ts';
import { normalise, type Pooling, pool } from './pool.ts';

/** Limit of tokens in one run, padding included. More is hardly faster on a CPU, and a query waits for the current run. */
const MOST_TOKENS_AT_ONCE = 512;
const LONGEST_TOKENS = 512;
/** Not a dependency: people who add an ONNX model install it. */
const RUNTIME_PACKAGE = 'onnxruntime-web';
const SUPPORTED_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'];

/** The part of onnxruntime-web that is used: the package is optional, so its types are not available. */
interface Tensor {
  type: string;
  data: unknown;
  dims: readonly number[];
}

interface InferenceSession {
  inputNames: readonly string[];
  outputNames: readonly string[];
  inputMetadata: readonly { name: string; type?: string }[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
}

interface Runtime {
  InferenceSession: { create(model: Uint8Array, options: object): Promise<InferenceSession> };
  Tensor: new (type: string, data: BigInt64Array | Int32Array, dims: readonly number[]) => Tensor;
  env: { wasm: { numThreads?: number }; logLevel?: string };
}

export async function openOnnxSession(files: ModelFiles, options: ModelSessionOptions): Promise<ModelSession> {
  const { manifest, threads } = options;
  const runtime = await loadRuntime(options);
  runtime.env.wasm.numThreads = threads;
  runtime.env.logLevel = 'error';
  const settings = settingsOf(files, manifest);
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(requiredJson(files, 'tokenizer.json'), jsonOf(files, 'tokenizer_config.json'));
  const graph = files.get(manifest.file);
  if (!graph)
    throw new ModelProblem(`the model "${manifest.name}" has no ${manifest.file}: remove it and add it again`);
  const externalData = manifest.files
    .filter(({ path }) => path !== manifest.file && path.startsWith(manifest.file))
    .map(({ path }) => ({ path: basename(path), data: files.get(path) ?? new Uint8Array() }));
  const session = await runtime.InferenceSession.create(graph, { executionProviders: ['wasm'], externalData });
  const types = new Map(session.inputMetadata.map((input) => [input.name, input.type ?? 'int64']));
  const unknown = session.inputNames.filter((name) => !SUPPORTED_INPUTS.includes(name));
  if (unknown.length > 0) {
    throw new ModelProblem(
      `the model "${manifest.name}" wants ${unknown.join(', ')}, which no text has: it cannot embed texts`,
    );
  }
  const lastOfNothing = tokenizer.encode('').ids.at(-1);

  function tokensOf(text: string): number[] {
    const { ids } = tokenizer.encode(text);
    if (ids.length <= settings.longest) return ids;
    const last = ids.at(-1);
    // If every text ends with an end token, a cut text must end with it too.
    return last !== undefined && last === lastOfNothing
      ? [...ids.slice(0, settings.longest - 1), last]
      : ids.slice(0, settings.longest);
  }

  function feedsOf(all: readonly number[][], tokens: number): Record<string, Tensor> {
    const values: Record<string, (text: number, token: number) => number> = {
      input_ids: (text, token) => all[text]?.[token] ?? settings.padding,
      attention_mask: (text, token) => (token < (all[text]?.length ?? 0) ? 1 : 0),
      token_type_ids: () => 0,
      position_ids: (_text, token) => token,
    };
    return Object.fromEntries(
      session.inputNames.map((name) => {
        const numbers = Array.from({ length: all.length * tokens }, (_, at) =>
          (values[name] as (text: number, token: number) => number)(Math.floor(at / tokens), at % tokens),
        );
        const dims = [all.length, tokens];
        return types.get(name) === 'int32'
          ? [name, new runtime.Tensor('int32', Int32Array.from(numbers), dims)]
          : [name, new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), dims)];
      }),
    );
  }

  return {
    fitting(texts) {
      let longest = 0;
      for (const [index, text] of texts.entries()) {
        // About four characters a token; fewer in scripts without spaces, where the tokenizer's own limit applies.
        longest = Math.max(longest, Math.min(settings.longest, Math.ceil(text.length / 4)));
        if (index > 0 && longest * (index + 1) > MOST_TOKENS_AT_ONCE) return index;
      }
      return texts.length;
    },
    async run(texts, kind) {
      const all = texts.map((text) => tokensOf(`${settings.prompts[kind]}${text}`));
      const tokens = Math.max(1, ...all.map(({ length }) => length));
      const outputs = await session.run(feedsOf(all, tokens));
      const name = session.outputNames.includes('sentence_embedding') ? 'sentence_embedding' : session.outputNames[0];
      const output = outputs[name ?? ''];
      if (output?.type !== 'float32') {
        throw new ModelProblem(
          `the model "${manifest.name}" answers in ${output?.type ?? 'nothing'} instead of float32: add it with --file and another of its files`,
        );
      }
      const data = output.data as Float32Array;
      const dimension = output.dims.at(-1) ?? 0;
      if (output.dims.length === 2)
        return texts.map((_, text) => normalise(data.slice(text * dimension, (text + 1) * dimension)));
      if (settings.pooling === 'unknown') throw unknownPooling(files, manifest.name);
      return pool(
        { data, texts: texts.length, tokens, dimension, lengths: all.map(({ length }) => length) },
        settings.pooling,
      );
    },
  };
}

async function loadRuntime({ installCommand, runtimeFolder }: ModelSessionOptions): Promise<Runtime> {
  try {
    const name: string = RUNTIME_PACKAGE;
    return (await import(name)) as Runtime;
  } catch (error) {
    const kept = runtimeFolder === undefined ? undefined : await entryOf(runtimeFolder);
    if (kept !== undefined) return (await import(pathToFileURL(kept).href)) as Runtime;
    throw new MissingRuntime(
      `this embedding model needs onnxruntime-web, which is not installed: run "${installCommand}", or add a static model (model.safetensors), which needs nothing`,
      { cause: error },
    );
  }
}

interface Settings {
  pooling: Pooling | 'unknown';
  longest: number;
  padding: number;
  prompts: { query: string; passage: string };
}

function settingsOf(files: ModelFiles, manifest: ModelManifest): Settings {
  const config = jsonOf(files, 'config.json');
  const tokenizer = jsonOf(files, 'tokenizer_config.json');
  const own = jsonOf(files, 'sentence_bert_config.json');
  const limits = [own.max_seq_length, tokenizer.model_max_length, config.max_position_embeddings, LONGEST_TOKENS];
  const prompts = (jsonOf(files, 'config_sentence_transformers.json').prompts ?? {}) as Record<string, unknown>;
  const prompt = (...names: string[]): string =>
    names.map((name) => prompts[name]).find((text) => typeof text === 'string') ?? '';
  return {
    pooling: manifest.pooling ?? usualPooling(files),
    longest: Math.min(...limits.filter((limit): limit is number => typeof limit === 'number' && limit >= 8)),
    padding: typeof config.pad_token_id === 'number' ? config.pad_token_id : 0,
    prompts: manifest.prompts ?? { query: prompt('query'), passage: prompt('document', 'passage') },
  };
}

/** For models that were added before their record held the pooling: mean, where their files do not say. */
function usualPooling(files: ModelFiles): Pooling {
  const found = poolingOf((path) => (files.has(path) ? jsonOf(files, path) : undefined));
  return 'pooling' in found ? found.pooling : 'mean';
}

function unknownPooling(files: ModelFiles, name: string): ModelProblem {
  const found = poolingOf((path) => (files.has(path) ? jsonOf(files, path) : undefined));
  const why = 'unknown' in found ? `: ${found.unknown}` : '';
  return new ModelProblem(
    `the files of the model "${name}" do not say how it makes one vector of a text${why}. Its page does: add it with --pooling mean, --pooling cls or --pooling last`,
  );
}
