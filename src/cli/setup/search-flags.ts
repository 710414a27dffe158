// The search of the web that flags of set-up name.
import { readSecret } from '../read-secret.ts';
import type { Terminal } from '../terminal.ts';
import type { Search } from './plan.ts';
import { type SetupFlags, wrongUsage } from './setup-flags.ts';

/** Undefined where no flag names a service, or `none`. Throws UsageError for a variable that is not set. */
export async function searchIn(
  { webSearch: service, webSearchKeyStdin, webSearchKeyEnv, webSearchUrl: address }: SetupFlags,
  terminal: Terminal,
): Promise<Search | undefined> {
  if (service === undefined || service === 'none') return undefined;
  const apiKey = webSearchKeyStdin
    ? await readSecret('key of the search service', terminal)
    : keyIn(webSearchKeyEnv, terminal);
  return { service, ...(address !== undefined && { address }), ...(apiKey !== undefined && { apiKey }) };
}

function keyIn(variable: string | undefined, { environment }: Terminal): string | undefined {
  if (variable === undefined) return undefined;
  const key = environment.variables[variable]?.trim();
  if (key) return key;
  throw wrongUsage(`--web-search-key-env: the variable ${variable} is not set`);
}
