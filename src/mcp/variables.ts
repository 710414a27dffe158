// `${NAME}` in mcp.json is replaced by a variable of the owner's environment, so that the file needs no secret.
import { McpError } from './mcp-error.ts';
export const REFERENCE = /\$\{(\w+)\}/g;

export type Variables = Readonly<Record<string, string | undefined>>;

/** Throws when a variable is not set: an empty secret would fail later and less clearly. */
export function expand<T extends Readonly<Record<string, string>>>(server: string, values: T, variables: Variables): T {
  const put = (_: string, name: string): string => {
    const found = variables[name];
    if (found !== undefined) return found;
    const needs = `the server "${server}" needs the environment variable ${name}, which is not set`;
    throw new McpError('MCP_CONFIG', needs);
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value.replace(REFERENCE, put)])) as T;
}
