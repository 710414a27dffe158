// What clients look up before they ask: the lists of models of OpenAI, Anthropic and Ollama, and where servers on one's own machine
// say how many tokens a loaded model takes in.
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from './json-shape.ts';

/** Undefined when the path is none of theirs. */
export function modelList(
  path: string,
  headers: IncomingHttpHeaders,
  models: string[],
  contextWindow?: number,
): Json | undefined {
  if (path.endsWith('/api/version')) return { version: '0.12.6' };
  if (path.endsWith('/api/ps'))
    return {
      models: contextWindow ? models.map((name) => ({ name, model: name, context_length: contextWindow })) : [],
    };
  if (path.endsWith('/api/v0/models'))
    return { data: models.map((id) => ({ id, ...(contextWindow && { loaded_context_length: contextWindow }) })) };
  if (path.endsWith('/props')) return { default_generation_settings: contextWindow ? { n_ctx: contextWindow } : {} };
  if (path.endsWith('/api/tags')) return { models: models.map(ollamaModel) };
  if (!path.endsWith('/models')) return undefined;
  if (headers['anthropic-version'] === undefined) {
    return {
      object: 'list',
      data: models.map((id) => ({
        id,
        object: 'model',
        created: 1_760_000_000,
        owned_by: 'fake',
        ...(contextWindow && { max_model_len: contextWindow }),
      })),
    };
  }
  return {
    data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2025-10-09T00:00:00Z' })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}

function ollamaModel(name: string): Json {
  return {
    name,
    model: name,
    modified_at: '2025-10-09T00:00:00Z',
    size: 4_661_224_676,
    digest: '365c0bd3c000a25d28ddbf732fe1c6add414de7275464c4e4d1c3b5fcb5d8ad1',
    details: {
      parent_model: '',
      format: 'gguf',
      family: 'llama',
      families: ['llama'],
      parameter_size: '8.0B',
      quantization_level: 'Q4_0',
    },
  };
}
