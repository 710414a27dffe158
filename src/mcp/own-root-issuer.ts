// Servers of the protocol 2025-03-26 have no metadata of their own: their sign-in is described at the root of their address, and its
// issuer may have a path (https://host/oauth), which the later rules refuse. It is accepted only when the server has no metadata,
// the description came from that root, and the issuer has the same origin: a person who can write there can describe every
// issuer of the origin anyway (RFC 8414 places them all under its /.well-known). An issuer elsewhere stays refused.
import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';

/** The sign-in of such a server; undefined after another failure, or when the rule does not apply. */
export async function discoverAtOwnRoot(
  error: unknown,
  serverUrl: string,
  signal: AbortSignal,
): Promise<OAuthDiscoveryState | undefined> {
  const { IssuerMismatchError, discoverOAuthServerInfo } = await import('@modelcontextprotocol/client');
  const root = String(new URL('/', serverUrl));
  if (!IssuerMismatchError.isInstance(error) || error.kind !== 'metadata' || error.expected !== root) return undefined;
  // The library follows redirects within the origin, and no others.
  const fetchFn = (url: string | URL, init?: RequestInit) => fetch(url, { ...init, signal });
  const options = { skipIssuerMetadataValidation: true, fetchFn };
  const found = await discoverOAuthServerInfo(serverUrl, options).catch(() => undefined);
  if (!found) return undefined;
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (resourceMetadata || String(authorizationServerUrl) !== root || !metadata) return undefined;
  if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).origin !== new URL(root).origin) return undefined;
  return { authorizationServerUrl, authorizationServerMetadata: metadata };
}
