// Our credentials at servers that need a sign-in (OAuth), in a private file of the home, by server and address, so that a
// token is only ever sent to the address it was issued for.
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { OwnerFiles } from '../storage/storage.ts';
import type { McpOAuth, McpServerConfig } from './mcp.ts';
import { McpError } from './mcp-error.ts';
import { expand, type Variables } from './variables.ts';

const FILE = 'mcp-auth.json';

export type UrlServer = Extract<McpServerConfig, { kind: 'url' }>;

interface SignedIn {
  url: string;
  client?: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  tokens?: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  discovery?: OAuthDiscoveryState;
  verifier?: string;
  /** The scope that a refused call needed; the next sign-in asks for it. */
  wantedScope?: string;
}

/** Sends a person to an address and receives the redirect at another. */
export interface Visit {
  redirectUrl: string;
  state: string;
  visit(url: URL): void;
  /** Where the server's sign-in is, when that is known already. */
  discovery?: OAuthDiscoveryState;
}

export interface SignIns {
  /** Undefined when nobody has signed in: then the server asks for it. */
  stored(name: string, server: UrlServer): Promise<OAuthClientProvider | undefined>;
  /** True when a person has signed in. */
  isKept(name: string, server: UrlServer): Promise<boolean>;
  /** Starts a new sign-in with a person. */
  withPerson(name: string, server: UrlServer, visit: Visit): OAuthClientProvider;
  remove(name: string): Promise<void>;
}

export function needsSignIn(name: string): McpError {
  return new McpError('MCP_SIGN_IN', `the server "${name}" needs a sign-in: lainclaw mcp login ${name}`);
}

export function createSignIns({ files, variables }: { files: OwnerFiles; variables: Variables }): SignIns {
  const read = async (name: string, url: string): Promise<SignedIn> => {
    const known = entriesOf(await files.read(FILE))[name];
    return known?.url === url ? known : { url };
  };
  const change = (alter: (entries: Record<string, SignedIn>) => void): Promise<void> =>
    files.update(FILE, (current) => {
      const entries = entriesOf(current);
      alter(entries);
      return `${JSON.stringify({ version: 1, servers: entries }, undefined, 2)}\n`;
    });

  function provider(name: string, { url, oauth }: UrlServer, redirectUrl: string, state: string): OAuthClientProvider {
    const put = (more: Partial<SignedIn>): Promise<void> =>
      change((entries) => {
        const known = entries[name];
        entries[name] = { ...(known?.url === url ? known : { url }), ...more };
      });
    const own = oauth && 'clientId' in oauth ? registered(expand(name, oauth, variables)) : undefined;
    return {
      redirectUrl,
      clientMetadataUrl: oauth && 'clientMetadataUrl' in oauth ? oauth.clientMetadataUrl : undefined,
      clientMetadata: {
        client_name: 'Lainclaw',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
      state: () => state,
      clientInformation: async () => own ?? (await read(name, url)).client,
      saveClientInformation: (client) => put({ client }),
      tokens: async () => (await read(name, url)).tokens,
      saveTokens: (tokens) => put({ tokens, wantedScope: undefined }),
      codeVerifier: async () => (await read(name, url)).verifier ?? '',
      saveCodeVerifier: (verifier) => put({ verifier }),
      discoveryState: async () => (await read(name, url)).discovery,
      saveDiscoveryState: (discovery) => put({ discovery }),
      async invalidateCredentials(scope) {
        const gone: (keyof SignedIn)[] = scope === 'all' ? ['client', 'tokens', 'verifier', 'discovery'] : [scope];
        await put(Object.fromEntries(gone.map((key) => [key, undefined])));
      },
      async redirectToAuthorization(address) {
        await put({ wantedScope: address.searchParams.get('scope') ?? undefined });
        throw needsSignIn(name);
      },
    };
  }

  return {
    async stored(name, server) {
      if (isMachine(server.oauth)) return asMachine(name, expand(name, server.oauth, variables));
      const { tokens } = await read(name, server.url);
      return tokens && provider(name, server, 'http://127.0.0.1/callback', '');
    },
    isKept: async (name, { url }) => (await read(name, url)).tokens !== undefined,
    withPerson(name, server, { redirectUrl, state, visit, discovery }) {
      const base = provider(name, server, redirectUrl, state);
      const isRegistered = server.oauth !== undefined && 'clientId' in server.oauth;
      let isNew = true;
      return {
        ...base,
        // A new sign-in replaces the old tokens, and a client is registered for one redirect only.
        tokens: async () => (isNew ? undefined : base.tokens()),
        clientInformation: async () => (isRegistered || !isNew ? base.clientInformation() : undefined),
        discoveryState: async () => (isNew ? discovery : base.discoveryState?.()),
        async redirectToAuthorization(address) {
          isNew = false;
          if (discovery) await base.saveDiscoveryState?.(discovery);
          const { wantedScope = '' } = await read(name, server.url);
          const scopes = new Set(
            `${address.searchParams.get('scope') ?? ''} ${wantedScope}`.split(' ').filter(Boolean),
          );
          if (scopes.size > 0) address.searchParams.set('scope', [...scopes].join(' '));
          visit(address);
        },
      };
    },
    async remove(name) {
      if ((await files.read(FILE)) === undefined) return;
      await change((entries) => {
        delete entries[name];
      });
    },
  };
}

type Machine = Extract<McpOAuth, { grant: string }>;

export function isMachine(oauth: McpOAuth | undefined): oauth is Machine {
  return oauth !== undefined && 'grant' in oauth;
}

/** The tokens live as long as the connection: a new one needs no person. */
async function asMachine(name: string, oauth: Machine): Promise<OAuthClientProvider> {
  const { ClientCredentialsProvider, PrivateKeyJwtProvider } = await import('@modelcontextprotocol/client');
  if (oauth.grant === 'cross_app_access') return (await import('./cross-app-access.ts')).asPersonOfCompany(name, oauth);
  const { grant: _, issuer: expectedIssuer, ...rest } = oauth;
  // Without an issuer the library trusts the one that the server names, which its types call outdated.
  const named = { ...rest, clientName: 'Lainclaw', expectedIssuer: expectedIssuer as string };
  return 'privateKey' in named ? new PrivateKeyJwtProvider(named) : new ClientCredentialsProvider(named);
}

function registered({ clientId = '', clientSecret }: Record<string, string>) {
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}

function entriesOf(text: string | undefined): Record<string, SignedIn> {
  if (text === undefined) return {};
  try {
    return { ...(JSON.parse(text) as { servers: Record<string, SignedIn> }).servers };
  } catch (error) {
    throw new McpError('MCP_CONFIG', `${FILE} is damaged: delete it and sign in again`, error);
  }
}
