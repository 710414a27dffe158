import type { Config } from '../config/config.ts';
import type { ToolSpec } from '../tools/tool.ts';
import { createWebSearchTool, type WebSearchDependencies } from '../tools/web/search.ts';

export interface SearchToolOptions extends Pick<WebSearchDependencies, 'variables' | 'storedKey'> {
  /** What holds where config.json cannot be used. */
  config: Config;
  currentConfig(): Promise<Config>;
}

/** web_search as the settings are now: a service that was set up a moment ago is there with the next turn. The same list while nothing has changed. */
export function createSearchTool({ config, currentConfig, ...more }: SearchToolOptions): () => Promise<ToolSpec[]> {
  let made: { settings: string; tools: ToolSpec[] } | undefined;
  return async () => {
    const { webSearch, webSearchUrl } = await currentConfig().catch(() => config);
    const settings = JSON.stringify([webSearch, webSearchUrl]);
    if (made?.settings !== settings) {
      const address = webSearchUrl === undefined ? {} : { address: webSearchUrl };
      made = { settings, tools: webSearch ? [createWebSearchTool({ service: webSearch, ...address, ...more })] : [] };
    }
    return made.tools;
  };
}
