// mcp.json in the home, in the form people know from other programs: {"mcpServers": {"<name>": {"command", "args", "env", "cwd"}
// or {"url", "headers"}}}. All problems are reported together. A workspace can never add a server: only the home is read.
import { nearest } from '../lib/nearest.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import type { McpServerConfig, McpServers } from './mcp.ts';
import { McpError } from './mcp-error.ts';

const FILE = 'mcp.json';
const OAUTH_PROBLEM =
  '"oauth" must hold "clientId" (and may hold "clientSecret"), or "clientMetadataUrl", an https:// address; ' +
  'with "grant": "client_credentials" either "clientSecret" or "privateKey" and "algorithm" too; ' +
  'with "grant": "cross_app_access" also "clientSecret", "idpTokenUrl" (an https:// address), "idpClientId" and "idTokenFile" ' +
  '(and may hold "idpClientSecret"); with a "grant" it may hold "issuer"';
const KEYS = {
  command: ['command', 'args', 'env', 'cwd', 'type', 'trust'],
  url: ['url', 'headers', 'oauth', 'type', 'trust'],
};

/** Of a server: all of its tools, or those of these names (as the server calls them). */
export type TrustedTools = 'all' | readonly string[];

export interface McpConfig {
  /** Without the file there are no servers. Rejects with every problem of the file. */
  read(): Promise<McpServers>;
  add(name: string, server: McpServerConfig, options: { replace: boolean }): Promise<void>;
  /** Rejects when there is no server of that name. */
  remove(name: string): Promise<void>;
  /** Servers whose answers count as the owner's own, and whose tools run without a question. */
  trusted(): Promise<ReadonlyMap<string, TrustedTools>>;
  /** Empty: none of them any more. A server that is replaced is not trusted. Rejects when there is no server of that name. */
  trust(name: string, tools: TrustedTools): Promise<void>;
}

export function createMcpConfig({ files }: { files: OwnerFiles }): McpConfig {
  return {
    read: async () => parse(await files.read(FILE)),
    async add(name, server, { replace }) {
      const problems = [serverNameProblem(name) ?? [], serverOf(asWritten(server)).problems].flat();
      if (problems.length > 0) throw new McpError('MCP_CONFIG', problems.join('; '));
      await files.update(FILE, (current) => {
        const whole = documentOf(current);
        if (parse(current).has(name) && !replace) throw alreadyThere(name);
        return written({ ...whole, mcpServers: { ...whole.mcpServers, [name]: asWritten(server) } });
      });
    },
    async remove(name) {
      await files.update(FILE, (current) => {
        const servers = parse(current);
        if (!servers.has(name)) throw unknownServer(name, servers);
        const whole = documentOf(current);
        const { [name]: _, ...rest } = whole.mcpServers;
        return written({ ...whole, mcpServers: rest });
      });
    },
    async trusted() {
      const text = await files.read(FILE);
      parse(text);
      return trustIn(text);
    },
    async trust(name, tools) {
      await files.update(FILE, (current) => {
        const servers = parse(current);
        if (!servers.has(name)) throw unknownServer(name, servers);
        const whole = documentOf(current);
        const { trust: _, ...server } = whole.mcpServers[name] as Record<string, unknown>;
        const trust = tools === 'all' ? { trust: true } : tools.length > 0 ? { trust: tools } : {};
        return written({ ...whole, mcpServers: { ...whole.mcpServers, [name]: { ...server, ...trust } } });
      });
    },
  };
}

export function alreadyThere(name: string): McpError {
  return new McpError('MCP_EXISTS', `there is a server "${name}" already: add --force to replace it`);
}

export function unknownServer(name: string, servers: McpServers): McpError {
  const names = [...servers.keys()];
  const near = nearest(name, names);
  const hint = near
    ? ` (did you mean ${near}?)`
    : names.length > 0
      ? `; there is ${names.join(', ')}`
      : '; there is none';
  return new McpError('MCP_UNKNOWN_SERVER', `there is no server "${name}"${hint}`);
}

/** Why this cannot be the name of a server, or undefined. The name becomes part of the names of its tools. */
export function serverNameProblem(name: string): string | undefined {
  if (/^[a-zA-Z0-9][a-zA-Z0-9-]{0,31}$/.test(name)) return undefined;
  return `"${name}" cannot name a server: accepted are 1 to 32 letters, digits and hyphens`;
}

interface Document extends Record<string, unknown> {
  mcpServers: Record<string, unknown>;
}

function documentOf(text: string | undefined): Document {
  if (text === undefined) return { mcpServers: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new McpError('MCP_CONFIG', `${FILE} is not valid JSON: ${(error as Error).message}`, error);
  }
  if (!isRecord(value) || (value.mcpServers !== undefined && !isRecord(value.mcpServers)))
    throw new McpError('MCP_CONFIG', `${FILE} must hold {"mcpServers": {"<name>": {…}}}`);
  const near = Object.keys(value).find((key) => key !== 'mcpServers' && nearest(key, ['mcpServers']) !== undefined);
  if (value.mcpServers === undefined && near !== undefined)
    throw new McpError('MCP_CONFIG', `${FILE}: "${near}" is not a setting (did you mean "mcpServers"?)`);
  return { ...value, mcpServers: value.mcpServers ?? {} } as Document;
}

function parse(text: string | undefined): McpServers {
  const servers = new Map<string, McpServerConfig>();
  const problems: string[] = [];
  for (const [name, value] of Object.entries(documentOf(text).mcpServers)) {
    const found = serverOf(value);
    const wrong = [serverNameProblem(name) ?? [], found.problems].flat();
    if (wrong.length > 0) problems.push(...wrong.map((problem) => `"${name}": ${problem}`));
    else if (found.server) servers.set(name, found.server);
  }
  if (problems.length > 0) throw new McpError('MCP_CONFIG', `${FILE}: ${problems.join('; ')}`);
  return servers;
}

function trustIn(text: string | undefined): Map<string, TrustedTools> {
  const found = new Map<string, TrustedTools>();
  for (const [name, server] of Object.entries(documentOf(text).mcpServers)) {
    const { trust } = server as { trust?: boolean | readonly string[] };
    if (trust === true) found.set(name, 'all');
    else if (Array.isArray(trust)) found.set(name, trust);
  }
  return found;
}

function serverOf(value: unknown): { server?: McpServerConfig; problems: string[] } {
  if (!isRecord(value)) return { problems: ['it must be an object'] };
  const hasCommand = value.command !== undefined;
  if (hasCommand === (value.url !== undefined))
    return { problems: ['it needs either "command" (a program to start) or "url" (a server that runs)'] };
  const keys = hasCommand ? KEYS.command : KEYS.url;
  const problems = Object.keys(value)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const near = nearest(key, keys);
      return `"${key}" is not one of its settings${near ? ` (did you mean "${near}"?)` : `; accepted: ${keys.join(', ')}`}`;
    });
  const { command, args = [], env = {}, cwd, url, headers = {}, oauth, trust } = value;
  const check = (ok: boolean, problem: string): void => void (ok || problems.push(problem));
  check(
    trust === undefined || typeof trust === 'boolean' || (Array.isArray(trust) && trust.every(isText)),
    '"trust" must be true, or a list of the names of its tools',
  );
  if (hasCommand) {
    check(isText(command), '"command" must be a program');
    check(Array.isArray(args) && args.every((each) => typeof each === 'string'), '"args" must be a list of texts');
    check(isTexts(env), '"env" must be texts by name');
    check(cwd === undefined || isText(cwd), '"cwd" must be a directory');
    if (problems.length > 0) return { problems };
    const server = { kind: 'command', command, args, env, ...(cwd !== undefined && { cwd }) } as McpServerConfig;
    return { server, problems };
  }
  check(typeof url === 'string' && /^https?:$/.test(protocolOf(url)), '"url" must be an http:// or https:// address');
  check(!hasCredentials(url), '"url" must not contain a user or password: put them into "headers"');
  check(isTexts(headers), '"headers" must be texts by name');
  check(oauth === undefined || isOAuth(oauth), OAUTH_PROBLEM);
  if (problems.length > 0) return { problems };
  return { server: { kind: 'url', url, headers, ...(oauth !== undefined && { oauth }) } as McpServerConfig, problems };
}

function asWritten(server: McpServerConfig): Record<string, unknown> {
  const { kind: _, ...rest } = server;
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );
}

function written(document: Document): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string');
}

/** The valid combinations of keys. */
const OAUTH_FORMS: readonly { grant?: string; needs: readonly string[]; may?: readonly string[] }[] = [
  { needs: ['clientId'], may: ['clientSecret'] },
  { needs: ['clientMetadataUrl'] },
  { grant: 'client_credentials', needs: ['clientId', 'clientSecret'], may: ['issuer'] },
  { grant: 'client_credentials', needs: ['clientId', 'privateKey', 'algorithm'], may: ['issuer'] },
  {
    grant: 'cross_app_access',
    needs: ['clientId', 'clientSecret', 'idpTokenUrl', 'idpClientId', 'idTokenFile'],
    may: ['idpClientSecret', 'issuer'],
  },
];

function isOAuth(value: unknown): boolean {
  if (!isRecord(value) || !Object.values(value).every(isText)) return false;
  const { grant: wanted, ...rest } = value;
  const keys = Object.keys(rest);
  const isKnown = OAUTH_FORMS.some(
    ({ grant, needs, may = [] }) =>
      grant === wanted &&
      needs.every((key) => keys.includes(key)) &&
      keys.every((key) => needs.includes(key) || may.includes(key)),
  );
  const { clientMetadataUrl = 'https://x', idpTokenUrl = 'https://x' } = rest;
  return isKnown && protocolOf(String(clientMetadataUrl)) === 'https:' && isSafe(String(idpTokenUrl));
}

/** True for addresses that may get secrets: encrypted, or on this machine. */
function isSafe(address: string): boolean {
  if (protocolOf(address) === 'https:') return true;
  return protocolOf(address) === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname);
}

function hasCredentials(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : '';
}
