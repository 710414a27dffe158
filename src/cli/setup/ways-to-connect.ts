// What can be chosen as the model, in order of ease: what is connected, what was found, then what takes a step.
import type { Detected } from './given-connection.ts';
import type { SetupTexts } from './languages/setup-texts.ts';
import type { Choice } from './prompts.ts';

export type Way =
  | { kind: 'keep' }
  | { kind: 'found-key'; provider: string; label: string; variable: string }
  | { kind: 'server'; provider: string; label: string; baseUrl: string; models: readonly string[] }
  | { kind: 'chatgpt' }
  | { kind: 'reuse' }
  | { kind: 'type-key' }
  | { kind: 'address' }
  | { kind: 'none' };

export function waysToConnect({ connections, present }: Detected, { ways }: SetupTexts): Choice<Way>[] {
  const { keys, servers } = connections;
  return [
    ...(present.isConnected
      ? [{ value: { kind: 'keep' } as const, label: ways.keep(nameOf(present)), hint: ways.keepHint }]
      : []),
    ...keys.map(({ provider, label, variable, key }) => ({
      value: { kind: 'found-key', provider, label, variable } as const,
      label: ways.foundKey(label, variable),
      hint: key,
    })),
    ...servers.map(({ provider, label, baseUrl, models }) => ({
      value: { kind: 'server', provider, label, baseUrl, models: models.map(({ id }) => id) } as const,
      label: ways.server(label),
      hint:
        models.length > 0
          ? listed(
              models.map(({ id }) => id),
              ways,
            )
          : ways.serverEmpty,
    })),
    { value: { kind: 'chatgpt' }, label: ways.chatGpt, hint: ways.chatGptHint },
    { value: { kind: 'reuse' }, label: ways.reuse, hint: ways.reuseHint },
    {
      value: { kind: 'type-key' },
      label: ways.typeKey,
      hint: 'Anthropic, OpenAI, Gemini, OpenRouter, DeepSeek …',
    },
    { value: { kind: 'address' }, label: ways.address },
    ...(present.isConnected ? [] : [{ value: { kind: 'none' } as const, label: ways.none, hint: ways.noneHint }]),
  ];
}

export function nameOf({ provider, model }: { provider: string; model?: string }): string {
  return model === undefined ? provider : `${provider}/${model}`;
}

const MOST_NAMED = 3;

function listed(names: readonly string[], ways: SetupTexts['ways']): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ways.more(more) : '');
}
