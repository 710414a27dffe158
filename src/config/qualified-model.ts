/**
 * A model named together with its provider, as one name that means the same everywhere: `openai/gpt-oss-120b` of Groq is
 * `groq/openai/gpt-oss-120b`, not a model of OpenAI. Names without a slash mean only one thing anyway.
 */
export function qualifiedModel(provider: string, model: string): string {
  return !model.includes('/') || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
}
