// The command line that starts a gateway again: in the background, after a restart, by the system.
import type { Layer } from '../settings/gateway-file.ts';

/** Instead of a channel: no bot at all. */
export const NO_CHANNEL = 'none';

export function startArguments(channels: readonly string[], settings: Layer): string[] {
  const named = (channels.length > 0 ? channels : [NO_CHANNEL]).map((name) => `--channel=${name}`);
  const given = Object.entries(settings).map(
    ([key, value]) => `--${flagName(key)}=${Array.isArray(value) ? value.join(',') : value}`,
  );
  return ['gateway', 'start', ...named, ...given];
}

/** The flag of a setting: toolMaxSteps is tool-max-steps. */
export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
