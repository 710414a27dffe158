// Every provider, in the order in which they are listed: the subscription first, then services, then servers of one's own.

import { antLing } from './ant-ling.ts';
import { anthropic } from './anthropic.ts';
import { baseten } from './baseten.ts';
import { cerebras } from './cerebras.ts';
import { deepseek } from './deepseek.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { kimiCoding } from './kimi-coding.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmstudio } from './lmstudio.ts';
import { meta } from './meta.ts';
import { minimax } from './minimax.ts';
import { minimaxCn } from './minimax-cn.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { moonshotCn } from './moonshot-cn.ts';
import { nvidia } from './nvidia.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiCodex } from './openai-codex.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { openrouter } from './openrouter.ts';
import type { Provider } from './provider.ts';
import { qwen } from './qwen.ts';
import { qwenCn } from './qwen-cn.ts';
import { qwenTokenPlan } from './qwen-token-plan.ts';
import { qwenTokenPlanCn } from './qwen-token-plan-cn.ts';
import { together } from './together.ts';
import { vercelAiGateway } from './vercel-ai-gateway.ts';
import { vllm } from './vllm.ts';
import { xai } from './xai.ts';
import { xiaomi } from './xiaomi.ts';
import { zai } from './zai.ts';
import { zaiCodingCn } from './zai-coding-cn.ts';

export const PROVIDERS: readonly Provider[] = [
  openaiCodex,
  openai,
  anthropic,
  gemini,
  openrouter,
  deepseek,
  qwen,
  qwenCn,
  qwenTokenPlan,
  qwenTokenPlanCn,
  moonshot,
  moonshotCn,
  kimiCoding,
  mistral,
  groq,
  xai,
  cerebras,
  together,
  fireworks,
  zai,
  zaiCodingCn,
  minimax,
  minimaxCn,
  huggingface,
  nvidia,
  baseten,
  vercelAiGateway,
  meta,
  antLing,
  xiaomi,
  ollama,
  lmstudio,
  llamaCpp,
  vllm,
  openaiCompatible,
];

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}
