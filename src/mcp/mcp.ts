// Types of MCP servers: the owner names them in `<home>/mcp.json`, and they are a source of tools.
import type { McpError, McpErrorCode } from './mcp-error.ts';

export type McpServerConfig =
  | { kind: 'command'; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd?: string }
  | {
      kind: 'url';
      url: string;
      headers: Readonly<Record<string, string>>;
      /** Our client credentials, for a sign-in that does not let us register. */
      oauth?: McpOAuth;
    };

/** With a `grant` we sign in without a browser, otherwise a person does. */
export type McpOAuth =
  | { clientId: string; clientSecret?: string }
  | { clientMetadataUrl: string }
  | ({ grant: 'client_credentials' } & Registered &
      ({ clientSecret: string } | { privateKey: string; algorithm: string }))
  | CrossAppAccess;

type Registered = {
  clientId: string;
  /** The issuer that may get these credentials; by default the one that the server names. */
  issuer?: string;
};

/** A company's sign-in exchanges a person's ID token for a grant, which the server's sign-in accepts. */
export type CrossAppAccess = { grant: 'cross_app_access' } & Registered & {
    clientSecret: string;
    idpTokenUrl: string;
    idpClientId: string;
    idpClientSecret?: string;
    /** Read again for every sign-in, because ID tokens expire soon. */
    idTokenFile: string;
  };

export type McpServers = ReadonlyMap<string, McpServerConfig>;

/** The name of a server's tool in Lainclaw. */
export function toolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** A tool as its server describes it. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface McpOutput {
  ok: boolean;
  /** The text that the model sees. */
  text: string;
  /** The server's result, without large binary parts. */
  data: unknown;
  /** In base64, as the server gave them. */
  pictures?: { mediaType: string; data: string }[];
}

const OUR_OWN: readonly McpErrorCode[] = ['MCP_CONFIG', 'MCP_UNKNOWN_SERVER', 'MCP_EXISTS', 'MCP_SIGN_IN'];

/** True unless the message certainly contains no words of a server. */
export function mayQuoteServer({ code, cause }: McpError): boolean {
  if (OUR_OWN.includes(code)) return false;
  // Our own timeout quotes nothing.
  if (code === 'MCP_TIMEOUT' && cause === undefined) return false;
  const { name, code: reason } = (cause ?? {}) as { name?: unknown; code?: unknown };
  return !(name === 'SdkError' && (reason === 'CONNECTION_CLOSED' || reason === 'REQUEST_TIMEOUT'));
}
