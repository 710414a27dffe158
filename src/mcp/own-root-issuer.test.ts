import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IssuerMismatchError } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it } from 'vitest';
import { discoverAtOwnRoot } from './own-root-issuer.ts';

const signal = new AbortController().signal;
const METADATA = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource';
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

type Pages = (root: string) => Record<string, object | string>;

/** A server with these documents; a text is where to go instead. */
async function serving(pages: Pages): Promise<string> {
  let root = '';
  const server = createServer((request, response) => {
    const page = pages(root)[request.url ?? ''];
    if (page === undefined) return void response.writeHead(404).end();
    if (typeof page === 'string') return void response.writeHead(302, { location: page }).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  closing.push(() => void server.close());
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return root;
}

const describing = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  response_types_supported: ['code'],
});

async function discovered(pages: Pages, { expected }: { expected?: string } = {}) {
  const root = await serving(pages);
  const error = new IssuerMismatchError('metadata', expected ?? `${root}/`, 'whatever it said');
  return { root, found: await discoverAtOwnRoot(error, `${root}/mcp`, signal) };
}

describe('an issuer that is not the root of its server', () => {
  it('is taken where the server has no metadata and its root describes an issuer of the same origin', async () => {
    const { root, found } = await discovered((own) => ({ [METADATA]: describing(`${own}/oauth`) }));
    expect(found).toMatchObject({
      authorizationServerUrl: `${root}/`,
      authorizationServerMetadata: { issuer: `${root}/oauth`, token_endpoint: `${root}/oauth/token` },
    });
  });

  it.each<[string, Pages]>([
    ['of another origin', () => ({ [METADATA]: describing('https://login.example.com/oauth') })],
    ['of another port', () => ({ [METADATA]: describing('http://127.0.0.1:1/oauth') })],
    ['that is not an address', () => ({ [METADATA]: describing('oauth') })],
    [
      'where the server has metadata',
      (own) => ({
        [METADATA]: describing(`${own}/oauth`),
        [`${RESOURCE}/mcp`]: { resource: `${own}/mcp`, authorization_servers: [`${own}/`] },
      }),
    ],
  ])('stays refused %s', async (_, pages) => {
    expect((await discovered(pages)).found).toBeUndefined();
  });

  it('stays refused when another origin describes it', async () => {
    let described = '';
    const elsewhere = await serving(() => ({ '/moved': describing(`${described}/oauth`) }));
    const { root, found } = await discovered((own) => {
      described = own;
      return { [METADATA]: `${elsewhere}/moved` };
    });
    expect([described, found]).toEqual([root, undefined]);
  });

  it('stays refused when another sign-in than its root was expected, and after other failures', async () => {
    const pages: Pages = (own) => ({ [METADATA]: describing(`${own}/oauth`) });
    expect((await discovered(pages, { expected: 'https://login.example.com/' })).found).toBeUndefined();
    const root = await serving(pages);
    const atReturn = new IssuerMismatchError('authorization_response', `${root}/`, 'https://evil.example.com');
    for (const error of [new Error('no'), atReturn])
      expect(await discoverAtOwnRoot(error, `${root}/mcp`, signal)).toBeUndefined();
  });
});
