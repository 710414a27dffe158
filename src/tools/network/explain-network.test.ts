import { expect, test } from 'vitest';
import type { Finished } from '../../sandbox/sandbox.ts';
import { explainNetwork } from './explain-network.ts';

function finished(text: string, exitCode = 1): Finished {
  const captured = { text, bytes: text.length, cut: false };
  const nothing = { text: '', bytes: 0, cut: false };
  return { exitCode, timedOut: false, cancelled: false, stdout: nothing, stderr: captured, interleaved: captured };
}

test.for([
  'curl: (6) Could not resolve host: a.example',
  "fatal: unable to access 'https://a.example/': Could not resolve host: a.example",
  'npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN',
  'socket.gaierror: [Errno -3] Temporary failure in name resolution',
  'pip: Failed to establish a new connection: [Errno 101] Network is unreachable',
  "error: failed to download from `https://index.crates.io/config.json`\n  [6] Couldn't resolve host name",
  'go: example.org/x: dial tcp: lookup proxy.golang.org on 1.1.1.1:53',
  "E: Failed to fetch http://deb.debian.org/x  Temporary failure resolving 'deb.debian.org'",
  "wget: unable to resolve host address 'a.example'",
])('"%s" is a lack of network', (text) => {
  expect(explainNetwork(finished(text), {})).toEqual([
    expect.stringContaining('this command has no network; name the hosts'),
  ]);
  expect(explainNetwork(finished(text), { unavailable: 'it is off' })).toEqual([
    'this command has no network; it is off',
  ]);
  expect(explainNetwork(finished(text, 0), {})).toEqual([]);
});

test.for([
  'ssh: Could not resolve hostname github.com: Temporary failure in name resolution\r\nfatal: Could not read from remote repository.',
  'ssh: connect to host 10.1.1.1 port 22: Network is unreachable',
  'Host key verification failed.\r\nfatal: Could not read from remote repository.',
  'git@github.com: Permission denied (publickey).',
])('"%s" is ssh, which no host in "network" helps', (text) => {
  const ssh = [expect.stringMatching(/^ssh has no way out of the sandbox.*https.*!command/)];
  expect(explainNetwork(finished(text), {})).toEqual(ssh);
  expect(explainNetwork(finished(text), { traffic: { reached: [], refused: [], failed: [] } })).toEqual(ssh);
  expect(explainNetwork(finished(text, 0), {})).toEqual([]);
});

test.for(['1 test failed', 'ENOENT: no such file', 'error TS2304: Cannot find name', ''])(
  '"%s" is something else',
  (text) => {
    expect(explainNetwork(finished(text), {})).toEqual([]);
  },
);

test('a server on loopback that is not there may be outside the sandbox', () => {
  for (const text of [
    "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
  ])
    expect(explainNetwork(finished(text), {})).toEqual([expect.stringContaining('loopback of its own')]);
});

test('refused hosts are named with the way to ask for them, also when the command went well', () => {
  const traffic = {
    reached: [],
    failed: [],
    refused: [
      { host: 'a.example', attempts: 2, reason: 'not-allowed' as const },
      { host: 'b.example', attempts: 1, reason: 'private-address' as const },
    ],
  };
  const [first, second] = explainNetwork(finished('', 0), { traffic });
  expect(first).toMatch(/kept from reaching a\.example, which nobody permitted; .*"network"/);
  expect(second).toMatch(/b\.example, whose address is not public; .*privateHosts/);
  const many = Array.from({ length: 12 }, (_, index) => ({
    host: `h${index}.example`,
    attempts: 1,
    reason: 'not-allowed' as const,
  }));
  expect(explainNetwork(finished(''), { traffic: { reached: [], failed: [], refused: many } }).at(-1)).toBe(
    'and 2 more hosts',
  );
});

test('a permitted host that could not be reached is named with the reason, where the command failed', () => {
  const failed = [{ host: 'a.example', attempts: 1, error: 'getaddrinfo ENOTFOUND a.example' }];
  const traffic = { reached: [], refused: [], failed };
  expect(explainNetwork(finished(''), { traffic })).toEqual([
    'a.example could not be reached: getaddrinfo ENOTFOUND a.example',
  ]);
  expect(explainNetwork(finished('', 0), { traffic })).toEqual([]);
});

test('a program that goes past the proxy gets a message that names the proxy', () => {
  const traffic = { reached: [], refused: [], failed: [] };
  for (const text of ['Error: connect ECONNREFUSED 127.0.0.1:8765', 'getaddrinfo EAI_AGAIN a.example'])
    expect(explainNetwork(finished(text), { traffic })).toEqual([expect.stringContaining('HTTPS_PROXY')]);
  expect(explainNetwork(finished('1 test failed'), { traffic })).toEqual([]);
  expect(explainNetwork(finished('getaddrinfo EAI_AGAIN', 0), { traffic })).toEqual([]);
});
