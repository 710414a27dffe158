import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coversHost,
  coversTarget,
  type Host,
  hostOfTarget,
  namesPrivately,
  overlaps,
  parseHost,
  parseTarget,
  spellHost,
  targetOfUrl,
} from './host.ts';

const host = (text: string): Host => {
  const parsed = parseHost(text);
  if (!parsed) throw new Error(`not a host: ${text}`);
  return parsed;
};

test.for([
  ['Registry.NPMJS.org', 'registry.npmjs.org'],
  ['registry.npmjs.org.', 'registry.npmjs.org'],
  ['127.0.0.1:4873', '127.0.0.1:4873'],
  ['0x7f.1:80', '127.0.0.1:80'],
  ['2130706433', '127.0.0.1'],
  ['[0:0::1]:8080', '[::1]:8080'],
  ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['*.Example.org', '*.example.org'],
] as const)('%s is the host %s', ([written, spelled]) => {
  expect(spellHost(host(written))).toBe(spelled);
});

test.for([
  ...[
    '',
    ' ',
    'a b',
    'http://a.example',
    'a.example/x',
    'user@a.example',
    'a.example:0',
    'a.example:65536',
    'a.example:',
  ],
  ...['*', '*.org', '*.127.0.0.1', 'a.*.example', '[::1', '::1', 'a.example?x', 'a#b', 'a\\b', 'a\nb', 'x'.repeat(300)],
])('%j is not a host', (text) => {
  expect(parseHost(text)).toBeUndefined();
});

test('a spelled host is read as itself', () => {
  const names = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );
  fc.assert(
    fc.property(names, fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }), (name, port) => {
      const parsed = host(port === undefined ? name : `${name}:${port}`);
      expect(parseHost(spellHost(parsed))).toEqual(parsed);
      expect(coversHost(parsed, parsed) && overlaps(parsed, parsed)).toBe(true);
    }),
  );
});

describe('a host without a port', () => {
  test('means the ports of the web', () => {
    const web = host('a.example');
    expect([80, 443, 22, 8080].filter((port) => coversTarget(web, { name: 'a.example', port }))).toEqual([80, 443]);
    expect(coversHost(web, host('a.example:443'))).toBe(true);
    expect(coversHost(web, host('a.example:22'))).toBe(false);
    expect(coversHost(host('a.example:443'), web)).toBe(false);
  });
});

test('a star means the hosts below, not the domain itself nor one that ends alike', () => {
  const below = host('*.example.org');
  const covered = ['a.example.org', 'a.b.example.org', 'example.org', 'anexample.org', 'example.org.evil.net'].filter(
    (name) => coversTarget(below, { name, port: 443 }),
  );
  expect(covered).toEqual(['a.example.org', 'a.b.example.org']);
  expect(coversHost(below, host('*.a.example.org'))).toBe(true);
  expect(coversHost(host('a.example.org'), below)).toBe(false);
});

test('hosts overlap when one request can mean both', () => {
  expect(overlaps(host('example.org'), host('a.example.org:443'))).toBe(true);
  expect(overlaps(host('example.org:22'), host('example.org'))).toBe(false);
  expect(overlaps(host('example.org'), host('example.com'))).toBe(false);
});

test('targets are read from addresses and from CONNECT', () => {
  expect(targetOfUrl('https://A.example/x')).toEqual({ name: 'a.example', port: 443 });
  expect(targetOfUrl('http://u:p@0177.1:99/')).toEqual({ name: '127.0.0.1', port: 99 });
  expect(['ftp://a.example', 'file:///etc', 'a.example'].map(targetOfUrl)).toEqual([undefined, undefined, undefined]);
  expect(parseTarget('a.example:443')).toEqual({ name: 'a.example', port: 443 });
  expect(['a.example', '*.a.example:443'].map(parseTarget)).toEqual([undefined, undefined]);
  expect(hostOfTarget({ name: 'a.example', port: 443 })).toBe('a.example');
  expect(hostOfTarget({ name: 'a.example', port: 22 })).toBe('a.example:22');
});

test('addresses and names of this machine are named on purpose', () => {
  expect(
    ['10.0.0.1', '[::1]', 'localhost', 'x.localhost', 'a.example'].map((name) => namesPrivately({ name })),
  ).toEqual([true, true, true, true, false]);
});
