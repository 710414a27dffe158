// An MCP server that wants a sign-in, and the authorization server it trusts, on one port. A browser that goes to its page is
// sent back at once, as a person who agrees would be.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SignInServer {
  url: string;
  /** Every token that was handed out, newest last. */
  issued: { access: string; refresh: string }[];
  /** What came in `Authorization` with requests for tools. */
  carried: (string | undefined)[];
  /** Access tokens no longer count; with `refresh`, neither do those they can be renewed with. */
  expire(what: 'access' | 'refresh'): void;
  close(): void;
}

export async function startSignInServer(): Promise<SignInServer> {
  const issued: SignInServer['issued'] = [];
  const carried: SignInServer['carried'] = [];
  const challenges = new Map<string, string>();
  let accepted: SignInServer['issued'][number] | undefined;
  let renewable: string | undefined;

  function issue(): object {
    const token = { access: `access-${crypto.randomUUID()}`, refresh: `refresh-${crypto.randomUUID()}` };
    issued.push(token);
    accepted = token;
    renewable = token.refresh;
    return { access_token: token.access, refresh_token: token.refresh, token_type: 'Bearer', expires_in: 3600 };
  }

  async function token(form: URLSearchParams): Promise<[number, object]> {
    if (form.get('grant_type') === 'refresh_token')
      return form.get('refresh_token') === renewable ? [200, issue()] : [400, { error: 'invalid_grant' }];
    const challenge = challenges.get(form.get('code') ?? '');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(form.get('code_verifier') ?? ''));
    const isOurs = challenge === Buffer.from(digest).toString('base64url');
    return isOurs ? [200, issue()] : [400, { error: 'invalid_grant' }];
  }

  const http = createServer(async (request, response) => {
    const address = new URL(request.url ?? '', base());
    const json = (status: number, body: object, headers = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    switch (address.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(200, { resource: `${base()}/mcp`, authorization_servers: [base()] });
      case '/.well-known/oauth-authorization-server':
        return json(200, {
          issuer: base(),
          authorization_endpoint: `${base()}/authorize`,
          token_endpoint: `${base()}/token`,
          registration_endpoint: `${base()}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      case '/register':
        return json(201, { ...JSON.parse(await bodyOf(request)), client_id: 'client-1' });
      case '/authorize': {
        const code = crypto.randomUUID();
        challenges.set(code, address.searchParams.get('code_challenge') ?? '');
        const back = new URL(address.searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', address.searchParams.get('state') ?? '');
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token':
        return json(...(await token(new URLSearchParams(await bodyOf(request)))));
      case '/mcp': {
        carried.push(request.headers.authorization);
        if (!accepted || request.headers.authorization !== `Bearer ${accepted.access}`)
          return json(401, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const message = JSON.parse(await bodyOf(request)) as { id?: number; method: string };
        const result = answerTo(message.method);
        if (message.id === undefined) return void response.writeHead(202).end();
        const error = { code: -32_601, message: 'no such method' };
        return json(200, { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) });
      }
      default:
        return json(404, {});
    }
  });
  const base = (): string => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  return {
    url: `${base()}/mcp`,
    issued,
    carried,
    expire(what) {
      accepted = undefined;
      if (what === 'refresh') renewable = undefined;
    },
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

function answerTo(method: string): object | undefined {
  const serverInfo = { name: 'private', version: '1' };
  if (method === 'initialize') return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  if (method === 'tools/list') return { tools: [{ name: 'whisper', inputSchema: { type: 'object', properties: {} } }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'psst' }] };
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
