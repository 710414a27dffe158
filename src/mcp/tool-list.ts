// The tools of each server, kept on disk so that a turn need not start every server to know its tools. An entry is valid for
// one configuration of its server; a server that could not be reached is not asked again for a while.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import type { McpServerConfig, McpTool } from './mcp.ts';
import type { McpErrorCode } from './mcp-error.ts';

const FILE = 'mcp-tools.json';
const MAX_DESCRIPTION = 1_024;
const MAX_SCHEMA = 20_000;
const TRY_AGAIN_AFTER_MS = 60_000;

export interface ListedTools {
  tools: McpTool[];
  /** Tools that were left out, with the reason. */
  leftOut: string[];
}

/** Why a server's tools are not known. An entry of an earlier version has no code. */
export interface Unlisted {
  error: string;
  code?: McpErrorCode;
}

type Entry = { config: string; at: number } & (ListedTools | Unlisted);

export interface ToolLists {
  /** Undefined when the server must be asked. */
  get(name: string, server: McpServerConfig): Promise<ListedTools | Unlisted | undefined>;
  put(name: string, server: McpServerConfig, listed: ListedTools | Unlisted): Promise<void>;
  remove(name: string): Promise<void>;
}

export function createToolLists({ files, now }: { files: OwnerFiles; now(): number }): ToolLists {
  const change = (alter: (entries: Record<string, Entry>) => void): Promise<void> =>
    files.update(FILE, (current) => {
      const entries = entriesOf(current);
      alter(entries);
      return `${JSON.stringify({ version: 1, servers: entries })}\n`;
    });
  return {
    async get(name, server) {
      const entry = entriesOf(await files.read(FILE))[name];
      if (entry?.config !== hashOf(server)) return undefined;
      if (!('error' in entry)) return entry;
      const age = now() - entry.at;
      return age >= 0 && age < TRY_AGAIN_AFTER_MS ? entry : undefined;
    },
    put: (name, server, listed) =>
      change((entries) => {
        entries[name] = { config: hashOf(server), at: now(), ...listed };
      }),
    remove: (name) =>
      change((entries) => {
        delete entries[name];
      }),
  };
}

/** The tools that can be offered, each with a bounded plain-text description and a schema that can be checked. */
export async function usableTools(
  tools: readonly McpTool[],
  accepts: (schema: Record<string, unknown>) => Promise<string | undefined>,
): Promise<ListedTools> {
  const usable = new Map<string, McpTool>();
  const leftOut: string[] = [];
  for (const { name, description, inputSchema } of tools) {
    const problem = usable.has(name) ? 'another one has the same name' : await toolProblem(name, inputSchema, accepts);
    if (problem) leftOut.push(`${printable(name).slice(0, 100)}: ${problem}`);
    else usable.set(name, { name, description: bounded(description), inputSchema: cleaned(inputSchema) });
  }
  return { tools: [...usable.values()], leftOut };
}

async function toolProblem(
  name: string,
  schema: Record<string, unknown>,
  accepts: (schema: Record<string, unknown>) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!/^[\w./-]{1,100}$/.test(name)) return 'its name holds more than letters, digits and _ . / -';
  if (schema?.type !== 'object') return 'its input schema is not an object';
  if (JSON.stringify(schema).length > MAX_SCHEMA) return `its input schema is longer than ${MAX_SCHEMA} characters`;
  return accepts(schema);
}

function entriesOf(text: string | undefined): Record<string, Entry> {
  try {
    return { ...(JSON.parse(text ?? '') as { servers: Record<string, Entry> }).servers };
  } catch {
    // The file is only a cache: servers can be asked again.
    return {};
  }
}

function hashOf(server: McpServerConfig): string {
  return createHash('sha256').update(canonicalJson(server)).digest('hex');
}

/** Texts inside a schema reach a model too. */
function cleaned<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === 'description' || key === 'title') && typeof value === 'string' ? bounded(value) : value,
  ) as T;
}

function bounded(text: string): string {
  return printable(text).slice(0, MAX_DESCRIPTION);
}

function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}
