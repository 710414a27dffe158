// Servers of the Model Context Protocol: which there are, adding and removing them, and signing in to them. What is shown of
// a server holds no secret.
import { alreadyThere, serverNameProblem } from '../mcp/config.ts';
import { type McpServerConfig, toolName } from '../mcp/mcp.ts';
import { McpError } from '../mcp/mcp-error.ts';
import type { OfferedTool } from '../mcp/servers.ts';
import type { ListedTools, Unlisted } from '../mcp/tool-list.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, textsByName, YES_OR_NO } from './schemas.ts';

const SERVER_OPTIONS = {
  command: TEXT,
  cwd: TEXT,
  args: listOf(TEXT),
  env: textsByName('the values are masked'),
  url: TEXT,
  headers: textsByName('the values are masked'),
} as const;
const TOOLS = { ...listOf(TEXT), description: 'as they are called here' } as const;
const LEFT_OUT = { ...listOf(TEXT), description: 'tools that cannot be offered, each with the reason' } as const;
const PROBLEM = {
  ...objectWith({ code: TEXT, text: TEXT }),
  description: 'why its tools are not known; MCP_SIGN_IN: a person has to sign in',
} as const;
const TRUSTED = { anyOf: [{ const: 'all' }, listOf(TEXT)] } as const;
const NAME_INPUT = {
  type: 'object',
  properties: { name: TEXT },
  required: ['name'],
  additionalProperties: false,
} as const;

export const listServers = defineOperation({
  name: 'mcp.list',
  class: 'read',
  summary: 'List the MCP servers and their tools, starting those whose tools are not known yet.',
  input: NO_INPUT,
  output: objectWith({
    servers: listOf(
      objectWith(
        {
          name: TEXT,
          tools: TOOLS,
          trusted: { ...listOf(TEXT), description: 'those of its tools that are trusted' },
          leftOut: LEFT_OUT,
          signedIn: YES_OR_NO,
        },
        { ...SERVER_OPTIONS, problem: PROBLEM },
      ),
    ),
    problems: listOf(TEXT),
  }),
  async run(_input, { runtime, signal }) {
    const mcp = await runtime.mcp();
    const servers = await mcp.config.read();
    const { tools, problems, states } = await mcp.servers.tools(signal);
    const trusted = tools.filter(({ isTrusted }) => isTrusted);
    const shown = [...servers].map(async ([name, server]) => ({
      name,
      ...withoutSecrets(server),
      tools: namesOf(tools, name),
      trusted: namesOf(trusted, name),
      signedIn: await mcp.isSignedIn(name, server),
      ...stateOf(states.get(name)),
    }));
    return { servers: await Promise.all(shown), problems };
  },
});

export const addServer = defineOperation({
  name: 'mcp.add',
  class: 'danger',
  // Each may hold a key.
  hides: ['args', 'env', 'headers', 'url'],
  summary: 'Add an MCP server, a program to start or an address, and ask it for its tools.',
  input: {
    type: 'object',
    properties: {
      name: TEXT,
      command: {
        type: 'string',
        description: 'the program; it runs with the rights of the owner, outside the sandbox',
      },
      args: { ...listOf(TEXT), default: [] as readonly string[] },
      env: textsByName('for the program; a value may name a variable in braces after a dollar sign'),
      cwd: { type: 'string', description: 'where the program runs' },
      url: { type: 'string', description: 'the address of a server that runs, instead of a program' },
      headers: textsByName('for the address'),
      recipe: {
        enum: ['browser'],
        description:
          "instead of a program: Playwright's server with the system's Chromium, fetched with npm and confined",
      },
      replace: { ...YES_OR_NO, default: false, description: 'replace a server of the same name' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith(
    { name: TEXT, reached: YES_OR_NO, tools: TOOLS, leftOut: LEFT_OUT },
    { ...SERVER_OPTIONS, problem: PROBLEM },
  ),
  async run({ name, replace, recipe, ...written }, { runtime, signal, warn }) {
    const wrongName = serverNameProblem(name);
    if (wrongName !== undefined) throw new CodedError('INVALID_INPUT', wrongName);
    const mcp = await runtime.mcp();
    if (!replace && (await mcp.config.read()).has(name)) throw alreadyThere(name);
    const server = recipe === undefined ? serverOf(written) : await serverOfBrowser(written);
    await mcp.config.add(name, server, { replace });
    const found = await mcp.servers.refresh(name, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      const { code = 'MCP_FAILED', message } = error as Partial<McpError> & Error;
      warn(`${message}. It is kept; try "lainclaw mcp test ${name}"`);
      return { code, error: message };
    });
    const { leftOut, problem } = stateOf(found);
    for (const each of leftOut) warn(`left out ${each}`);
    const tools = 'tools' in found ? found.tools.map((tool) => toolName(name, tool.name)) : [];
    return {
      name,
      ...withoutSecrets(server),
      reached: problem === undefined,
      tools,
      leftOut,
      ...(problem && { problem }),
    };

    async function serverOfBrowser({ command, url, args, env, headers, cwd }: WrittenServer): Promise<McpServerConfig> {
      if ([command, url, env, headers, cwd].some((each) => each !== undefined) || args.length > 0)
        throw new McpError(
          'MCP_CONFIG',
          'a recipe chooses the program itself: leave out command, args, env, cwd, url and headers',
        );
      const installed = await runtime.installBrowser(signal);
      for (const warning of installed.warnings) warn(warning);
      return installed.server;
    }
  },
});

export const removeServer = defineOperation({
  name: 'mcp.remove',
  class: 'danger',
  summary: 'Remove an MCP server and its sign-in.',
  input: NAME_INPUT,
  output: objectWith({ removed: TEXT }),
  async run({ name }, { runtime }) {
    const mcp = await runtime.mcp();
    await mcp.config.remove(name);
    await mcp.logout(name);
    return { removed: name };
  },
});

export const testServer = defineOperation({
  name: 'mcp.test',
  class: 'change',
  summary: 'Start an MCP server and ask for its tools again.',
  input: NAME_INPUT,
  output: objectWith({
    name: TEXT,
    tools: listOf(objectWith({ name: TEXT, description: TEXT, inputSchema: { type: 'object' } })),
    leftOut: listOf(TEXT),
  }),
  async run({ name }, { runtime, signal }) {
    const { tools, leftOut } = await (await runtime.mcp()).servers.refresh(name, signal);
    return { name, tools: tools.map((tool) => ({ ...tool })), leftOut };
  },
});

export const signInToServer = defineOperation({
  name: 'mcp.login',
  class: 'change',
  summary: 'Sign in to an MCP server: waits until the person has visited the address that is shown.',
  input: NAME_INPUT,
  output: objectWith({ name: TEXT, outcome: { enum: ['signed-in', 'not-needed'] }, tools: COUNT }),
  async run({ name }, { runtime, signal, warn, onAddress }) {
    const mcp = await runtime.mcp();
    const visit = onAddress ?? ((address: string): void => warn(`open this address to sign in: ${address}`));
    const outcome = await mcp.login(name, (url) => visit(url.href), signal);
    const { tools } = await mcp.servers.refresh(name, signal);
    return { name, outcome, tools: tools.length };
  },
});

export const signOutOfServer = defineOperation({
  name: 'mcp.logout',
  class: 'danger',
  summary: 'Forget the sign-in to an MCP server.',
  input: NAME_INPUT,
  output: objectWith({ signedOut: TEXT }),
  async run({ name }, { runtime }) {
    await (await runtime.mcp()).logout(name);
    return { signedOut: name };
  },
});

export const trustServer = defineOperation({
  name: 'mcp.trust',
  class: 'danger',
  summary:
    'Trust an MCP server, or one of its tools: it runs without a question, and what it answers counts as your own.',
  input: {
    type: 'object',
    properties: { name: TEXT, tool: { ...TEXT, description: 'one tool, by its own name or as it is called here' } },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ name: TEXT, trusted: TRUSTED }),
  async run({ name, tool }, { runtime, signal, warn }) {
    const { config, servers } = await runtime.mcp();
    const before = (await config.trusted()).get(name) ?? [];
    if (tool === undefined || before === 'all') {
      await config.trust(name, 'all');
      return { name, trusted: 'all' as const };
    }
    const own = ownName(name, tool);
    const known = await servers.tools(signal);
    if (!known.tools.some((each) => each.server === name && each.tool.name === own))
      warn(`the server "${name}" has no tool "${own}" now; it is trusted when it has`);
    const trusted = [...new Set([...before, own])];
    await config.trust(name, trusted);
    return { name, trusted };
  },
});

export const distrustServer = defineOperation({
  name: 'mcp.distrust',
  class: 'change',
  summary: 'Stop trusting an MCP server, or one of its tools.',
  input: {
    type: 'object',
    properties: { name: TEXT, tool: TEXT },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ name: TEXT, trusted: TRUSTED }),
  async run({ name, tool }, { runtime, signal }) {
    const { config, servers } = await runtime.mcp();
    const before = (await config.trusted()).get(name) ?? [];
    if (tool === undefined) {
      await config.trust(name, []);
      return { name, trusted: [] };
    }
    const all = async (): Promise<string[]> =>
      (await servers.tools(signal)).tools.flatMap((each) => (each.server === name ? [each.tool.name] : []));
    const trusted = (before === 'all' ? await all() : before).filter((each) => each !== ownName(name, tool));
    await config.trust(name, trusted);
    return { name, trusted };
  },
});

function stateOf(state: ListedTools | Unlisted = { tools: [], leftOut: [] }) {
  if (!('error' in state)) return { leftOut: state.leftOut };
  return { leftOut: [], problem: { code: state.code ?? 'MCP_FAILED', text: state.error } };
}

function namesOf(tools: readonly OfferedTool[], server: string): string[] {
  return tools.filter((each) => each.server === server).map(({ tool }) => toolName(server, tool.name));
}

/** `mcp__files__read` of the server `files` is its `read`. */
function ownName(server: string, tool: string): string {
  const prefix = toolName(server, '');
  return tool.startsWith(prefix) ? tool.slice(prefix.length) : tool;
}

interface WrittenServer {
  command?: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
}

function serverOf({ command, args, env, cwd, url, headers }: WrittenServer): McpServerConfig {
  if (url !== undefined && command === undefined) {
    if (args.length > 0 || env !== undefined || cwd !== undefined)
      throw new McpError('MCP_CONFIG', 'args, env and cwd go with a command, not with a url');
    return { kind: 'url', url, headers: headers ?? {} };
  }
  if (command === undefined || url !== undefined)
    throw new McpError('MCP_CONFIG', 'an MCP server needs a command or a url, one of them');
  if (headers !== undefined) throw new McpError('MCP_CONFIG', 'headers go with a url, not with a command');
  return { kind: 'command', command, args, env: env ?? {}, ...(cwd !== undefined && { cwd }) };
}

const MASKED = '***';
const SECRET_FLAG = /^--?[\w-]*(key|token|secret|password|auth)[\w-]*(=|$)/i;

/** Values may be secrets: only their names are shown, and references as they are. */
function withoutSecrets(server: McpServerConfig) {
  if (server.kind === 'url') return { url: maskedUrl(server.url), headers: maskedValues(server.headers) };
  const { kind: _, args, env, ...rest } = server;
  return { ...rest, args: maskedArgs(args), env: maskedValues(env) };
}

function maskedValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskedValue(value)]));
}

function maskedValue(value: string): string {
  return /^\$\{\w+\}$/.test(value) ? value : MASKED;
}

function maskedUrl(address: string): string {
  const url = new URL(address);
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, MASKED);
  return url.href;
}

/** Of `--api-key x` and `--api-key=x`, only the name. */
function maskedArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    if (SECRET_FLAG.test(arg) && arg.includes('=')) return `${arg.slice(0, arg.indexOf('='))}=${MASKED}`;
    const before = args[index - 1] ?? '';
    return SECRET_FLAG.test(before) && !before.includes('=') && !arg.startsWith('-') ? maskedValue(arg) : arg;
  });
}
