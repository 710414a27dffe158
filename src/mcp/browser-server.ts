// Playwright's MCP server as an entry of mcp.json: it drives the system's Chromium without a window, with a profile of its own. In
// bubblewrap it sees the system's programs read-only, can write nothing but its own folder, and has no network but a proxy's.
// Chromium's own sandbox does not start inside another one, so it is off there.
import { dirname, join } from 'node:path';
import type { McpServerConfig } from './mcp.ts';

export const BROWSER_PACKAGE = '@playwright/mcp';
/** Its versions depend on exact versions of Playwright. */
export const BROWSER_VERSION = '0.0.83';

export interface BrowserServerOptions {
  /** In the home: `package` is the server, `profile` the browser's, `files` what pages can upload and screenshots. */
  folder: string;
  /** Absolute paths of the programs, with links resolved. */
  node: string;
  chromium: string;
  /** Absent: there is no sandbox. */
  confined?: {
    /** Where the proxy is, seen from inside. */
    proxy: string;
    /** What Node is started with to run the program inside bubblewrap, given bubblewrap's arguments. */
    start(confinement: readonly string[], program: readonly string[]): string[];
  };
  /** Chromium refuses to start its own sandbox for root. */
  isRoot: boolean;
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt', '/nix/store'];
/** Where /etc/resolv.conf may lead to. */
const RESOLVER = '/run/systemd/resolve';

export function browserServer(options: BrowserServerOptions): McpServerConfig {
  const { folder, node, chromium, confined, isRoot } = options;
  const files = join(folder, 'files');
  const server = [
    join(folder, 'package', 'node_modules', BROWSER_PACKAGE, 'cli.js'),
    '--headless',
    ...['--executable-path', chromium],
    ...['--user-data-dir', join(folder, 'profile')],
    ...['--output-dir', files],
    // A page must not add tools to those of the server.
    '--no-webmcp',
    ...(confined || isRoot ? ['--no-sandbox'] : []),
    ...(confined ? ['--proxy-server', confined.proxy] : []),
  ];
  const env = { HOME: folder };
  const args = confined ? confined.start(confinement(options), [node, ...server]) : server;
  return { kind: 'command', command: node, args, env, cwd: files };
}

function confinement({ folder, node, chromium }: BrowserServerOptions): string[] {
  const readOnly = (paths: readonly string[]): string[] => paths.flatMap((path) => ['--ro-bind-try', path, path]);
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...readOnly([...SYSTEM, RESOLVER]),
    ...['--ro-bind-try', '/dev/null', '/etc/shadow', '--ro-bind-try', '/dev/null', '/etc/gshadow'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/dev/shm', '--tmpfs', '/tmp'],
    // After /tmp, which may hold them.
    ...readOnly(programFolders([node, chromium])),
    ...['--bind', folder, folder, '--ro-bind', join(folder, 'package'), join(folder, 'package')],
    ...['--chdir', join(folder, 'files')],
  ];
}

/** Of programs outside the system's folders: what is installed beside them. */
function programFolders(programs: readonly string[]): string[] {
  const outside = programs.filter((path) => !SYSTEM.some((folder) => path.startsWith(`${folder}/`)));
  return outside.map((path) => (/\/bin\/[^/]+$/.test(path) ? dirname(dirname(path)) : dirname(path)));
}
