// What a server of the Model Context Protocol is to Lainclaw: named by the owner in `<home>/mcp.json`, a source of tools.
import type { McpError, McpErrorCode } from './mcp-error.ts';

export type McpServerConfig =
  | { kind: 'command'; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd?: string }
  | {
      kind: 'url';
      url: string;
      headers: Readonly<Record<string, string>>;
      /** Who we are to its sign-in, where it does not let us register. */
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
  /** Who may be given these credentials; otherwise whoever the server names. */
  issuer?: string;
};

/** A company's sign-in vouches for its people: their ID token is exchanged there for a grant that the server's sign-in takes. */
export type CrossAppAccess = { grant: 'cross_app_access' } & Registered & {
    clientSecret: string;
    idpTokenUrl: string;
    idpClientId: string;
    idpClientSecret?: string;
    /** Read anew for every sign-in, since ID tokens do not last. */
    idTokenFile: string;
  };

export type McpServers = ReadonlyMap<string, McpServerConfig>;

/** What a tool of a server is called here. */
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
  /** What a model is told. */
  text: string;
  /** What the server said, with large binary parts left out. */
  data: unknown;
  /** In base64, as the server gave them. */
  pictures?: { mediaType: string; data: string }[];
}

const OUR_OWN: readonly McpErrorCode[] = ['MCP_CONFIG', 'MCP_UNKNOWN_SERVER', 'MCP_EXISTS', 'MCP_SIGN_IN'];

/** Whether a server may have put its words into the message: so unless it is certain that it said nothing. */
export function mayQuoteServer({ code, cause }: McpError): boolean {
  if (OUR_OWN.includes(code)) return false;
  // Our own clock: nothing that was said caused it.
  if (code === 'MCP_TIMEOUT' && cause === undefined) return false;
  const { name, code: reason } = (cause ?? {}) as { name?: unknown; code?: unknown };
  return !(name === 'SdkError' && (reason === 'CONNECTION_CLOSED' || reason === 'REQUEST_TIMEOUT'));
}
