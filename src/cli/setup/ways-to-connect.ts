// What can be chosen as the model, in order of ease: what is connected, what was found, then what takes a step.
import type { Detected } from './given-connection.ts';
import type { Choice } from './prompts.ts';

export type Way =
  | { kind: 'keep' }
  | { kind: 'found-key'; provider: string; label: string; variable: string }
  | { kind: 'server'; provider: string; label: string; baseUrl: string; models: readonly string[] }
  | { kind: 'chatgpt' }
  | { kind: 'type-key' }
  | { kind: 'address' }
  | { kind: 'none' };

export function waysToConnect({ connections, present }: Detected): Choice<Way>[] {
  const { keys, servers } = connections;
  return [
    ...(present.isConnected
      ? [{ value: { kind: 'keep' } as const, label: `Keep ${nameOf(present)}`, hint: 'it is tried again' }]
      : []),
    ...keys.map(({ provider, label, variable, key }) => ({
      value: { kind: 'found-key', provider, label, variable } as const,
      label: `${label}: the key in ${variable}`,
      hint: key,
    })),
    ...servers.map(({ provider, label, baseUrl, models }) => ({
      value: { kind: 'server', provider, label, baseUrl, models: models.map(({ id }) => id) } as const,
      label: `${label} on this machine`,
      hint: models.length > 0 ? listed(models.map(({ id }) => id)) : 'it has no model yet',
    })),
    { value: { kind: 'chatgpt' }, label: 'Sign in to ChatGPT', hint: 'with a subscription' },
    {
      value: { kind: 'type-key' },
      label: 'Type an API key',
      hint: 'Anthropic, OpenAI, Gemini, OpenRouter, DeepSeek …',
    },
    { value: { kind: 'address' }, label: "Another server that speaks OpenAI's protocol" },
    ...(present.isConnected
      ? []
      : [{ value: { kind: 'none' } as const, label: 'None for now', hint: 'answers stay offline' }]),
  ];
}

export function nameOf({ provider, model }: { provider: string; model?: string }): string {
  return model === undefined ? provider : `${provider}/${model}`;
}

const MOST_NAMED = 3;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
