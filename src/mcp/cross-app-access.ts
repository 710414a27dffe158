// Signs in a person whose company manages sign-ins in one place: the company's sign-in exchanges the person's ID token for a
// grant, and the server's sign-in exchanges the grant for a token. The ID token is sent to the company's sign-in only.
import { readFile } from 'node:fs/promises';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { CrossAppAccess } from './mcp.ts';
import { McpError } from './mcp-error.ts';

export async function asPersonOfCompany(name: string, oauth: CrossAppAccess): Promise<OAuthClientProvider> {
  const { CrossAppAccessProvider, requestJwtAuthorizationGrant } = await import('@modelcontextprotocol/client');
  const { clientId, clientSecret, idpTokenUrl, idpClientId, idpClientSecret, idTokenFile, issuer } = oauth;
  return new CrossAppAccessProvider({
    clientId,
    clientSecret,
    clientName: 'Lainclaw',
    // Without an issuer the library trusts the one that the server names, which its types call outdated.
    expectedIssuer: issuer as string,
    async assertion({ authorizationServerUrl: audience, resourceUrl: resource, scope, fetchFn }) {
      const idToken = await idTokenOf(name, idTokenFile);
      try {
        const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
          tokenEndpoint: idpTokenUrl,
          audience,
          resource,
          idToken,
          clientId: idpClientId,
          clientSecret: idpClientSecret,
          scope,
          fetchFn,
        });
        return jwtAuthGrant;
      } catch (error) {
        const why = (error instanceof Error ? error.message : String(error)).replaceAll(idToken, '***');
        // The reason quotes somebody else, so the code must be one of those that may quote.
        throw new McpError('MCP_UNREACHABLE', `the server "${name}": ${idpTokenUrl} refused the ID token: ${why}`);
      }
    },
  });
}

async function idTokenOf(name: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new McpError('MCP_SIGN_IN', `the server "${name}": the "idTokenFile" ${path} cannot be read`, error);
  });
  if (text.trim() === '') throw new McpError('MCP_SIGN_IN', `the server "${name}": the "idTokenFile" ${path} is empty`);
  return text.trim();
}
