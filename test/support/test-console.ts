// A console on a server of its own, over a runtime with an empty home.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { PAGE_HEADER } from '../../src/console/guard.ts';
import { openConsole } from '../../src/console/open-console.ts';
import type { OpenedConsole } from '../../src/gateway/service/console-parts.ts';
import { startControlServer } from '../../src/gateway/service/control-server.ts';
import type { ServiceSettings } from '../../src/gateway/settings/settings.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { afterFile, testHome } from './test-home.ts';
import { testRuntime } from './test-runtime.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface TestConsole {
  runtime: Runtime;
  opened: OpenedConsole;
  settings(): ServiceSettings;
  port: number;
  token: string;
  /** As it is given: neither a token nor a type is added. A cookie of `signIn` brings the header of its page. */
  send(path: string, sent?: Sent): Promise<Answer>;
  /** With the token; JSON where there is a body. */
  call<T = Record<string, unknown>>(path: string, body?: object): Promise<T>;
  /** The cookie of a browser that has just signed in. */
  signIn(person?: string): Promise<string>;
  /** The header that the page of this cookie sends. */
  pageOf(cookie?: string): Record<string, string>;
}

export const TOKEN = 'the-token-of-this-start';

export async function testConsole(
  config: object = { provider: 'stub' },
  variables: Record<string, string> = {},
): Promise<TestConsole> {
  const home = testHome();
  home.config(config);
  const runtime = await testRuntime(home.path, { cwd: home.workspace, variables });
  let port = 0;
  /** A test may add some. */
  const consoleProxies: string[] = [];
  const parts = {
    token: TOKEN,
    port: () => port,
    settings: () => ({
      workspace: home.workspace,
      port: 0,
      maxConcurrentTurns: 8,
      debounceMs: 0,
      approvalTimeoutMs: 60_000,
      openaiApi: true,
      consoleOrigins: ['https://lain.example.org'],
      consoleBasePath: '/lain',
      consoleProxies,
      consolePort: 0,
      consolePlainHttp: false,
    }),
    jobs: () => ({ provider: 'stub', withTools: true, mode: 'never' as const }),
    log() {},
    onLogLine: () => () => {},
    wake() {},
  };
  const opened = await openConsole(runtime, parts);
  const defects: unknown[] = [];
  const refuse = async (): Promise<never> => {
    throw new Error('not here');
  };
  const server = await startControlServer({
    token: TOKEN,
    port: 0,
    handlers: {
      status: refuse,
      unready: refuse,
      send: refuse,
      wake() {},
      retry: refuse,
      stopChannel: refuse,
      webhook: () => undefined,
      console: opened.handle,
      onDefect: (error) => defects.push(error),
    },
  });
  port = server.port;
  afterFile(async () => {
    await opened.close();
    await server.close();
    await runtime.close();
  });

  // As the page does: what it has besides the cookie goes with each request.
  const pages = new Map<string, string>();
  const pageOf = (cookie = ''): Record<string, string> => {
    const page = pages.get(cookie);
    return page === undefined ? {} : { [PAGE_HEADER]: page };
  };
  const send: TestConsole['send'] = (path, { method = 'GET', headers: given = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const headers = { ...pageOf(given.cookie), ...given };
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            json: <T>() => JSON.parse(text) as T,
          });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });

  return {
    runtime,
    opened,
    settings: parts.settings,
    port,
    token: TOKEN,
    pageOf,
    send,
    async call<T>(path: string, body?: object) {
      const answer = await send(path, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      return answer.json<T>();
    },
    async signIn(person) {
      const { code } = await (await runtime.consoleAccess()).createLink({ person });
      const answer = await send('/login/link', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      const cookie = String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? '';
      pages.set(cookie, answer.json<{ page: string }>().page);
      return cookie;
    },
  };
}
