// The other side of ChatGPT sign-in, for tests: issues tokens for codes, replaces refresh tokens on use, and refuses one
// that was used before, as the real service does.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeIssuer {
  readonly url: string;
  /** Every request but the page itself: path and fields. */
  readonly requests: { path: string; fields: Record<string, string> }[];
  /** Everything it has given out that nobody may ever show. */
  readonly secrets: string[];
  /** Signs in at the page: returns the address the browser is sent back to. */
  authorize(pageUrl: string): string;
  /** A refresh token that works once. */
  grantRefreshToken(): string;
  /** The person has typed in the code. */
  approveDevice(): void;
  /** What the next requests for tokens are answered with. */
  refuseTokens(refusal: { status: number; body: unknown } | undefined): void;
  close(): Promise<void>;
}

export async function startFakeIssuer({ expiresIn = 3600, delayMs = 0 } = {}): Promise<FakeIssuer> {
  const requests: FakeIssuer['requests'] = [];
  const secrets: string[] = [];
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  const refreshTokens = new Set<string>();
  let refusal: { status: number; body: unknown } | undefined;
  let isDeviceApproved = false;
  let count = 0;

  const secret = (prefix: string): string => {
    count += 1;
    const made = `${prefix}-${count}-${crypto.randomUUID()}`;
    secrets.push(made);
    return made;
  };

  function issue(): object {
    const refresh = secret('refresh');
    refreshTokens.add(refresh);
    const access = jwt({
      'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' },
      'https://api.openai.com/profile': { email: 'me@example.com' },
      jti: count,
    });
    secrets.push(access);
    return {
      access_token: access,
      refresh_token: refresh,
      id_token: jwt({ email: 'me@example.com' }),
      expires_in: expiresIn,
    };
  }

  function tokens(fields: Record<string, string>): { status: number; body: unknown } {
    if (refusal) return refusal;
    if (fields.grant_type === 'refresh_token') {
      const isGood = refreshTokens.delete(fields.refresh_token ?? '');
      return isGood ? { status: 200, body: issue() } : { status: 400, body: { error: 'invalid_grant' } };
    }
    const grant = codes.get(fields.code ?? '');
    codes.delete(fields.code ?? '');
    const challenge = createHash('sha256')
      .update(fields.code_verifier ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== fields.redirect_uri) {
      return { status: 400, body: { error: 'invalid_grant', error_description: `no such code ${fields.code}` } };
    }
    return { status: 200, body: issue() };
  }

  function deviceToken(): { status: number; body: unknown } {
    if (!isDeviceApproved) return { status: 403, body: { error: { code: 'deviceauth_authorization_pending' } } };
    const verifier = secret('verifier');
    const code = secret('code');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    codes.set(code, { challenge, redirectUri: `${url}/deviceauth/callback` });
    return { status: 200, body: { authorization_code: code, code_verifier: verifier } };
  }

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const fields = await fieldsOf(request);
    requests.push({ path, fields });
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const answers: Record<string, () => { status: number; body: unknown }> = {
      '/oauth/token': () => tokens(fields),
      '/api/accounts/deviceauth/usercode': () => ({
        status: 200,
        body: { device_auth_id: 'device-1', user_code: 'ABCD-EFGH', interval: '5' },
      }),
      '/api/accounts/deviceauth/token': deviceToken,
    };
    const { status, body } = answers[path]?.() ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    requests,
    secrets,
    authorize(pageUrl) {
      const page = new URL(pageUrl).searchParams;
      const code = secret('code');
      const redirectUri = page.get('redirect_uri') ?? '';
      codes.set(code, { challenge: page.get('code_challenge') ?? '', redirectUri });
      return `${redirectUri}?code=${code}&state=${page.get('state')}`;
    },
    grantRefreshToken() {
      const token = secret('refresh');
      refreshTokens.add(token);
      return token;
    },
    approveDevice() {
      isDeviceApproved = true;
    },
    refuseTokens(next) {
      refusal = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function jwt(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.signature`;
}

async function fieldsOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  if (text === '') return {};
  return text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}
