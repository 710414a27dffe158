// What a command in the sandbox reaches: the hosts that were permitted, and nothing else by any way. A server that nobody
// permitted counts its connections.
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTrial, type Trial, trialOptions } from '../../../test/support/sandbox-trial.ts';
import { parseHost } from './host.ts';
import { runWithHosts } from './run-with-hosts.ts';

let trial: Trial;
let permitted: Counted;
let other: Counted;

beforeEach(async () => {
  trial = createTrial();
  permitted = await countingServer('127.0.0.1');
  other = await countingServer('::');
});
afterEach(async () => {
  await Promise.all([permitted.close(), other.close()]);
  trial.remove();
});

function run(text: string, hosts: readonly string[], privateNames: readonly string[] = []) {
  const parsed = (texts: readonly string[]) => texts.flatMap((each) => parseHost(each) ?? []);
  return runWithHosts(trial.bubblewrap(), trial.script(text), trialOptions({ timeoutMs: 30_000 }), {
    allowed: parsed(hosts),
    privateNames: parsed(privateNames),
    temporary: trial.temporary,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
}

describe('a permitted host', () => {
  test('is reached by curl, by Python and by a tunnel, and its bytes are counted', async () => {
    const address = `http://127.0.0.1:${permitted.port}/x?y=1`;
    const { finished, traffic } = await run(
      `curl -sS ${address}; curl -sSp ${address}; curl -sS -d '${'b'.repeat(5_000)}' ${address}
       python3 -c 'import urllib.request as r; print(r.urlopen("${address}").read().decode())'`,
      [`127.0.0.1:${permitted.port}`],
    );
    expect(finished.interleaved.text.split('\n').filter(Boolean)).toEqual([
      'GET /x?y=1 0',
      'GET /x?y=1 0',
      'POST /x?y=1 5000',
      'GET /x?y=1 0',
    ]);
    expect(traffic.refused).toEqual([]);
    expect(traffic.reached).toMatchObject([{ host: `127.0.0.1:${permitted.port}`, connections: 4 }]);
    expect(traffic.reached[0]?.sentBytes).toBeGreaterThan(5_000);
    expect(traffic.reached[0]?.receivedBytes).toBeGreaterThan(100);
  });

  test('keeps the exit code, the signal, the input and the streams of the command', async () => {
    const hosts = [`127.0.0.1:${permitted.port}`];
    const { finished } = await run('echo out; echo err >&2; cat; jobs; wait; exit 7', hosts);
    expect(finished).toMatchObject({ exitCode: 7, stdout: { text: 'out\n' }, stderr: { text: 'err\n' } });
    expect((await run('kill -TERM $$', hosts)).finished).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
    expect((await run('sleep 100 & echo started', hosts)).finished).toMatchObject({ exitCode: 0 });
  });

  test('gets the host that was permitted, whatever header the command sends', async () => {
    const { finished } = await run(`curl -sS -H 'Host: other.example' http://127.0.0.1:${permitted.port}/host`, [
      `127.0.0.1:${permitted.port}`,
    ]);
    expect(finished.stdout.text).toBe(`127.0.0.1:${permitted.port}\n`);
  });
});

describe('a host that nobody permitted', () => {
  test('is reached by no way out, and each attempt is named', async () => {
    const { port } = other;
    const ways = [
      `curl -sS -m 5 http://127.0.0.1:${port}/`,
      `curl -sS -m 5 -p http://127.0.0.1:${port}/`,
      `curl -sS -m 5 http://0x7f.1:${port}/`,
      `curl -sS -m 5 'http://[::1]:${port}/'`,
      `curl -sS -m 5 'http://[::ffff:127.0.0.1]:${port}/'`,
      `curl -sS -m 5 http://localhost:${port}/`,
      `curl -sS -m 5 http://named.example:${port}/`,
      `curl -sS -m 5 -L http://127.0.0.1:${permitted.port}/redirect/${port}`,
      // Without the proxy: the sandbox has no other interface than its own loopback.
      `curl -sS -m 5 --noproxy '*' http://127.0.0.1:${port}/`,
      `curl -sS -m 5 --noproxy '*' 'http://[::1]:${port}/'`,
      `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>&1`,
      `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}), 5)' 2>&1`,
      `python3 -c 'import socket; socket.create_connection(("::1", ${port}), 5)' 2>&1`,
      // Through the socket of the proxy itself, and with the answer of a permitted host in between.
      `printf 'GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: 127.0.0.1:${permitted.port}\\r\\n\\r\\n' | timeout 5 python3 -c '
import os, socket, sys
path = [line.split()[4] for line in open("/proc/self/mountinfo") if line.split()[4].endswith("/proxy")][0]
s = socket.socket(socket.AF_UNIX); s.connect(path); s.sendall(sys.stdin.buffer.read()); print(s.recv(100).split(b"\\r\\n")[0].decode())'`,
      'ls /sys/class/net; cat /proc/net/route | wc -l',
    ];
    const { finished, traffic } = await run(ways.join('\n'), [`127.0.0.1:${permitted.port}`]);
    expect(other.connections()).toBe(0);
    expect(finished.interleaved.text).not.toContain('GET / ');
    expect(finished.stdout.text).toContain('HTTP/1.1 403 Forbidden');
    expect(traffic.refused.map(({ host, reason }) => `${host} ${reason}`).sort()).toEqual(
      [`127.0.0.1:${port}`, `[::1]:${port}`, `[::ffff:7f00:1]:${port}`, `localhost:${port}`, `named.example:${port}`]
        .map((host) => `${host} not-allowed`)
        .sort(),
    );
  });

  test('is not reached by a name that leads to a private address, unless the owner said that it may', async () => {
    const text = `curl -sS http://named.example:${permitted.port}/x`;
    const hosts = [`named.example:${permitted.port}`];
    const { finished, traffic } = await run(text, hosts);
    expect(finished.stdout.text).toContain('leads to an address that is not public');
    expect(traffic.refused).toEqual([
      { host: `named.example:${permitted.port}`, attempts: 1, reason: 'private-address' },
    ]);
    expect(permitted.connections()).toBe(0);
    expect((await run(text, hosts, hosts)).finished.stdout.text).toBe('GET /x 0\n');
  });
});

interface Counted {
  port: number;
  connections(): number;
  close(): Promise<void>;
}

async function countingServer(host: string): Promise<Counted> {
  let connections = 0;
  const server: Server = createHttpServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    const elsewhere = /^\/redirect\/(\d+)/.exec(request.url ?? '')?.[1];
    if (elsewhere) response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end();
    else if (request.url === '/host') response.end(`${request.headers.host}\n`);
    else response.end(`${request.method} ${request.url} ${bytes}\n`);
  }).on('connection', () => {
    connections += 1;
  });
  await once(server.listen(0, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
