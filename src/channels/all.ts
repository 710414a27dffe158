// Every channel there is, one line each. A definition is loaded when the gateway's settings are read; the names alone load nothing.
import type { ChannelDefinition } from './definition.ts';

export const CHANNELS: Readonly<Record<string, () => Promise<ChannelDefinition>>> = {
  feishu: async () => (await import('./feishu/definition.ts')).feishu,
  telegram: async () => (await import('./telegram/definition.ts')).telegram,
  local: async () => (await import('./local/definition.ts')).local,
};
