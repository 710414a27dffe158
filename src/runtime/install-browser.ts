// `lainclaw mcp add browser`: fetches Playwright's MCP server with npm into the home and finds the programs that it needs. No script
// of a package is run, and no browser is downloaded.
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BROWSER_PACKAGE, BROWSER_VERSION, type BrowserServerOptions, browserServer } from '../mcp/browser-server.ts';
import type { McpServerConfig } from '../mcp/mcp.ts';
import { McpError } from '../mcp/mcp-error.ts';
import { findProgram, isExecutable, SYSTEM_DIRECTORIES } from '../sandbox/find-program.ts';
import type { BrowserProgram } from '../sandbox/network/browser-program.ts';
import { FORWARD_PORT } from '../sandbox/network/forward.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { ensureDirectory } from '../storage/private-files.ts';
import { runNpm } from './run-npm.ts';

const CHROMIUMS = ['chromium', 'chromium-browser', 'chromium-headless-shell', 'google-chrome', 'google-chrome-stable'];
/** Names a Chromium that is elsewhere. */
const CHROMIUM_VARIABLE = 'LAINCLAW_CHROMIUM';

export interface InstallBrowserOptions {
  home: string;
  variables: Readonly<Record<string, string | undefined>>;
  sandbox(): Promise<Sandbox>;
  signal: AbortSignal;
}

export interface InstalledBrowser {
  server: McpServerConfig;
  /** What the person should know about how it is confined. */
  warnings: string[];
}

/** Rejects with McpError when there is no Chromium, before anything is fetched. */
export async function installBrowser({
  home,
  variables,
  sandbox,
  signal,
}: InstallBrowserOptions): Promise<InstalledBrowser> {
  const chromium = chromiumOf(variables);
  const folder = join(home, 'browser');
  for (const name of ['package', 'profile', 'files']) await ensureDirectory(join(folder, name));
  const prefix = join(folder, 'package');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const args = ['install', '--prefix', prefix, ...flags, '--save-exact', `${BROWSER_PACKAGE}@${BROWSER_VERSION}`];
  await runNpm(args, { cwd: prefix, variables, signal });
  const bubblewrap = await bubblewrapOf(await sandbox());
  const isRoot = process.getuid?.() === 0;
  const node = realpathSync(process.execPath);
  return {
    server: browserServer({
      folder: realpathSync(folder),
      node,
      chromium,
      isRoot,
      ...(bubblewrap !== undefined && { confined: behindProxy({ home, bubblewrap, node }) }),
    }),
    warnings: [
      ...(bubblewrap === undefined
        ? [
            "there is no bubblewrap here: the browser runs without Lainclaw's sandbox and reaches what this machine reaches, also localhost and your private network",
          ]
        : []),
      ...(bubblewrap === undefined && isRoot ? ["for root, Chromium's own sandbox is off too"] : []),
    ],
  };
}

/** The program that opens the proxy and starts bubblewrap; it also reads which private hosts may be reached. */
function behindProxy(place: Pick<BrowserProgram, 'home' | 'bubblewrap' | 'node'>): BrowserServerOptions['confined'] {
  return {
    proxy: `http://127.0.0.1:${FORWARD_PORT}`,
    start: (confinement, program) => [
      programFile(),
      JSON.stringify({ ...place, confinement, program } satisfies BrowserProgram),
    ],
  };
}

/** In the source in its folder, in the built program at its root. */
function programFile(): string {
  return import.meta.filename.endsWith('.ts')
    ? resolve(import.meta.dirname, '..', 'sandbox', 'network', 'browser-program.ts')
    : resolve(import.meta.dirname, '..', 'browser-program.js');
}

function chromiumOf(variables: InstallBrowserOptions['variables']): string {
  const named = variables[CHROMIUM_VARIABLE];
  const found = named
    ? [named].find(isExecutable)
    : CHROMIUMS.map((name) => findProgram(name, SYSTEM_DIRECTORIES)).find(Boolean);
  if (found) return realpathSync(found);
  const problem = named ? `${CHROMIUM_VARIABLE} names "${named}", which is not a program` : 'there is no Chromium here';
  throw new McpError(
    'MCP_CONFIG',
    `${problem}: install one with "sudo apt install chromium" (or chromium-headless-shell), or name yours in ${CHROMIUM_VARIABLE}`,
  );
}

async function bubblewrapOf(sandbox: Sandbox): Promise<string | undefined> {
  if (sandbox.name !== 'bubblewrap' || !(await sandbox.available()).ok) return undefined;
  return findProgram('bwrap', SYSTEM_DIRECTORIES);
}
