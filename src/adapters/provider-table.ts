// The providers: what each is called, how one signs in, where it is and what it answers with when no model is named.
import type { Reasoning } from './pi/apis.ts';
import type { ApiName } from './pi/catalogue.ts';

export interface ProviderInfo {
  name: string;
  /** The contract's `route` of a turn it answers. */
  route: string;
  api: ApiName;
  /** `optional-key`: a server of one's own may want none. */
  signIn: 'chatgpt' | 'api-key' | 'optional-key';
  keyVariable?: string;
  baseUrlVariable: string;
  baseUrl: string;
  /** Absent where it is the server's first. */
  model?: string;
  /** The service's own default. */
  reasoning: Reasoning;
}

export const PROVIDERS: readonly ProviderInfo[] = [
  {
    name: 'openai-codex',
    route: 'codex',
    api: 'openai-codex-responses',
    signIn: 'chatgpt',
    baseUrlVariable: 'LAINCLAW_OPENAI_CODEX_BASE_URL',
    baseUrl: 'https://chatgpt.com/backend-api',
    model: 'gpt-6-sol',
    reasoning: 'medium',
  },
  {
    name: 'openai',
    route: 'openai',
    api: 'openai-responses',
    signIn: 'api-key',
    keyVariable: 'OPENAI_API_KEY',
    baseUrlVariable: 'LAINCLAW_OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-6-sol',
    reasoning: 'medium',
  },
  {
    name: 'anthropic',
    route: 'anthropic',
    api: 'anthropic-messages',
    signIn: 'api-key',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'LAINCLAW_ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com',
    model: 'claude-sonnet-5',
    reasoning: 'off',
  },
  {
    name: 'openai-compatible',
    route: 'openai-compatible',
    api: 'openai-completions',
    signIn: 'optional-key',
    keyVariable: 'LAINCLAW_API_KEY',
    baseUrlVariable: 'LAINCLAW_BASE_URL',
    baseUrl: 'http://127.0.0.1:11434/v1',
    reasoning: 'off',
  },
];

export function findProvider(name: string): ProviderInfo | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}

export function loginCommand({ name, signIn }: ProviderInfo, baseUrl = '<its address>'): string {
  if (signIn === 'chatgpt') return `lainclaw auth login ${name}`;
  const server = signIn === 'optional-key' ? ` --base-url ${baseUrl}` : '';
  return `lainclaw auth login ${name} --api-key-stdin${server}`;
}

/** How to get a credential for it, as the end of a sentence. */
export function signInAdvice(provider: ProviderInfo, baseUrl?: string): string {
  const command = loginCommand(provider, baseUrl);
  return provider.keyVariable ? `${command} (or set ${provider.keyVariable})` : command;
}
