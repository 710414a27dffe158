// `${NAME}` in mcp.json stands for a variable of the owner's environment, so that no secret has to be in the file.
import { McpError } from './mcp-error.ts';
export const REFERENCE = /\$\{(\w+)\}/g;

export type Variables = Readonly<Record<string, string | undefined>>;

/** Rejects when a name is not set: an empty secret would only fail later, and less clearly. */
export function expand<T extends Readonly<Record<string, string>>>(server: string, values: T, variables: Variables): T {
  const put = (_: string, name: string): string => {
    const found = variables[name];
    if (found !== undefined) return found;
    const needs = `the server "${server}" needs the environment variable ${name}, which is not set`;
    throw new McpError('MCP_CONFIG', needs);
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value.replace(REFERENCE, put)])) as T;
}
