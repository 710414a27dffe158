// Settings of programs that decide which hosts they reach, as far as deriving hosts needs them. They are read in
// read-network-settings.ts.

export interface NetworkSettings {
  /** Addresses of npm's registries: the usual one first, then those of scopes. */
  npmRegistries: readonly string[];
  /** Addresses of Python's package indexes. */
  pipIndexes: readonly string[];
  /** Addresses of Go's module proxies. */
  goProxies: readonly string[];
  /** Addresses of the package archives of Debian's apt. */
  aptSources: readonly string[];
  /** Addresses of the repository's remotes by name. */
  gitRemotes: Readonly<Record<string, string>>;
}

export const DEFAULT_SETTINGS: NetworkSettings = {
  npmRegistries: ['https://registry.npmjs.org/'],
  pipIndexes: ['https://pypi.org/simple'],
  goProxies: ['https://proxy.golang.org'],
  aptSources: [],
  gitRemotes: {},
};
