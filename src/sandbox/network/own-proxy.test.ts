// The person's own proxy: which targets go through it, and how it is asked.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CompanyProxy, startCompanyProxy } from '../../../test/fakes/company-proxy.ts';
import { createTrial, trialOptions } from '../../../test/support/sandbox-trial.ts';
import { parseHost, parseTarget } from './host.ts';
import { ownProxyFor, type ProxyVariables, type Traversal } from './own-proxy.ts';
import { type NetworkProxy, openNetworkProxy } from './proxy.ts';
import { runWithHosts } from './run-with-hosts.ts';

function chosen(target: string, variables: ProxyVariables, traversal: Traversal = 'tunnel') {
  return ownProxyFor(parseTarget(target) ?? expect.unreachable(), traversal, variables);
}

describe('the proxy for a target', () => {
  const PROXY = 'http://proxy.corp.example:3128';
  const named = { hostname: 'proxy.corp.example', port: 3128, isTls: false };

  it('is the one for its kind of request, in either case of the variable', () => {
    expect(chosen('a.example:443', { HTTPS_PROXY: PROXY })).toEqual(named);
    expect(chosen('a.example:443', { https_proxy: PROXY, HTTPS_PROXY: 'http://other:1' })).toEqual(named);
    expect(chosen('a.example:80', { HTTPS_PROXY: PROXY }, 'request')).toBeUndefined();
    expect(chosen('a.example:80', { http_proxy: PROXY }, 'request')).toEqual(named);
    expect(chosen('a.example:80', { ALL_PROXY: PROXY }, 'request')).toEqual(named);
    expect(chosen('a.example:443', { HTTPS_PROXY: ' ' })).toBeUndefined();
    expect(chosen('a.example:443', {})).toBeUndefined();
  });

  it('has the name and the password of its address, and its usual port', () => {
    expect(chosen('a.example:443', { HTTPS_PROXY: 'https://ada:p%40ss@proxy.example' })).toEqual({
      hostname: 'proxy.example',
      port: 443,
      isTls: true,
      authorization: `Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
    });
    const { authorization } = chosen('a.example:443', { HTTPS_PROXY: 'http://ada:100%sure@proxy.example' }) ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from('ada:100%sure').toString('base64')}`);
    expect(chosen('a.example:443', { HTTPS_PROXY: 'proxy.example:8080' })).toMatchObject({ port: 8080 });
    expect(chosen('a.example:443', { HTTPS_PROXY: 'socks5://proxy.example' })).toBeUndefined();
    expect(chosen('a.example:443', { HTTPS_PROXY: 'not a proxy' })).toBeUndefined();
  });

  it.each([
    ['a.example', 'a.example:443', true],
    ['a.example', 'b.a.example:443', true],
    ['.a.example', 'b.a.example:443', true],
    ['*.a.example', 'b.a.example:443', true],
    ['a.example', 'evil-a.example:443', false],
    ['a.example:8443', 'a.example:443', false],
    ['a.example:443', 'a.example:443', true],
    ['x, A.Example , y', 'a.example:443', true],
    ['*', 'a.example:443', true],
    ['10.0.0.0/8', '10.2.3.4:443', true],
    ['10.0.0.0/8', '11.2.3.4:443', false],
    ['10.0.0.0/99', '10.2.3.4:443', false],
    ['10.0.0.0/8', 'a.example:443', false],
    ['192.0.2.7', '192.0.2.7:443', true],
    ['fd00::/8', '[fd12::1]:443', true],
    ['[fd12::1]', '[fd12::1]:443', true],
    ['', 'a.example:443', false],
  ])('NO_PROXY=%s for %s: directly %s', (noProxy, target, isDirect) => {
    expect(chosen(target, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }) === undefined).toBe(isDirect);
  });

  it.each(['127.0.0.1:4873', '127.9.9.9:80', 'localhost:3000', 'api.localhost:443', '[::1]:8080'])(
    '%s is this machine, and always reached directly',
    (target) => expect(chosen(target, { HTTPS_PROXY: PROXY })).toBeUndefined(),
  );
});

describe('a permitted host behind it', () => {
  let own: CompanyProxy;
  let filtering: NetworkProxy | undefined;
  beforeEach(async () => {
    own = await startCompanyProxy();
  });
  afterEach(async () => {
    await filtering?.close();
    filtering = undefined;
    await own.close();
  });

  const variables = (): ProxyVariables => {
    const address = `http://ada:secret@127.0.0.1:${own.port}`;
    return { HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: 'direct.example' };
  };

  async function open(
    resolve: () => Promise<{ address: string; family: 4 }[]>,
    hosts = ['a.example', 'a.example:8443'],
  ) {
    filtering = await openNetworkProxy({
      allowed: hosts.flatMap((host) => parseHost(host) ?? []),
      privateNames: [],
      temporary: tmpdir(),
      resolve,
      ownProxy: variables(),
    });
    return filtering;
  }

  async function tunnelTo(target: string): Promise<string> {
    const socket = connect(filtering?.socketPath ?? '');
    socket.on('error', () => {});
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!answer.toString().includes(' 200 ')) {
      socket.destroy();
      return answer.toString();
    }
    socket.write('hello');
    const [said] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return said.toString();
  }

  const unknown = () => Promise.reject(new Error('getaddrinfo ENOTFOUND'));
  const isPublic = async () => [{ address: '93.184.215.14', family: 4 as const }];
  const isPrivate = async () => [{ address: '10.0.0.7', family: 4 as const }];

  it('is asked for by name, with the name and the password of the proxy, also where its name is unknown here', async () => {
    await open(unknown);
    expect(await tunnelTo('a.example:8443')).toBe('tunnelled hello');
    expect(own.asked).toEqual([
      { line: 'CONNECT a.example:8443', authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}` },
    ]);
  });

  it('is refused when its name leads to a private address here, and so is every other host: the proxy hears nothing', async () => {
    await open(isPrivate);
    expect(await tunnelTo('a.example:8443')).toContain('not public');
    expect(await tunnelTo('b.example:443')).toContain('nobody permitted it');
    expect(own.asked).toEqual([]);
  });

  it('is refused in words when the proxy refuses it', async () => {
    own.refuseWith(407);
    const { close } = await open(isPublic);
    expect(await tunnelTo('a.example:8443')).toContain(`your proxy 127.0.0.1:${own.port} wants a name and a password`);
    own.refuseWith(403);
    expect(await tunnelTo('a.example:8443')).toContain('answered 403');
    const traffic = await close();
    filtering = undefined;
    expect(traffic.failed).toMatchObject([{ host: 'a.example:8443', attempts: 2 }]);
  });

  it('is sent plain requests with the whole address', async () => {
    await open(isPublic);
    const call = request({ socketPath: filtering?.socketPath, path: 'http://a.example/x?y=1', headers: { host: 'z' } });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    expect((await response.toArray()).join('')).toBe('GET http://a.example/x?y=1 for a.example');
    expect(own.asked.at(-1)).toMatchObject({ authorization: expect.stringMatching(/^Basic /) });
  });

  it('is reached from a sandbox that never sees the proxy of the person', async () => {
    const trial = createTrial();
    const script = trial.script('curl -sS http://a.example/from-inside; env; cat /proc/self/environ');
    const { finished, traffic } = await runWithHosts(trial.bubblewrap(), script, trialOptions({ timeoutMs: 30_000 }), {
      allowed: [{ name: 'a.example' }],
      privateNames: [],
      temporary: trial.temporary,
      resolve: unknown,
      ownProxy: variables(),
    });
    trial.remove();
    expect(finished.interleaved.text).toContain('GET http://a.example/from-inside for a.example');
    expect(finished.interleaved.text).not.toContain('secret');
    expect(finished.interleaved.text).not.toContain(String(own.port));
    expect(traffic.reached).toMatchObject([{ host: 'a.example', connections: 1 }]);
  });
});
