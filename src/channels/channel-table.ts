// The channels by name: which there are, and their definitions.
import { CHANNELS } from './all.ts';
import type { ChannelDefinition } from './definition.ts';

export type ChannelTable = ReadonlyMap<string, ChannelDefinition>;

export const CHANNEL_NAMES: readonly string[] = Object.keys(CHANNELS);

export function isChannelName(name: string): boolean {
  return CHANNEL_NAMES.includes(name);
}

export async function loadChannelTable(): Promise<ChannelTable> {
  const definitions = await Promise.all(Object.values(CHANNELS).map((load) => load()));
  return new Map(definitions.map((definition) => [definition.name, definition]));
}
