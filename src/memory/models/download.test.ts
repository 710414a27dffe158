import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryHome } from '../../../test/support/test-memory.ts';
import { addressSource } from './address-source.ts';
import { download } from './download.ts';

const FILE = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251));

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/file`);
}

interface Breaking {
  /** After how many bytes each connection ends; undefined: not at all. */
  breaks: (number | undefined)[];
  version?: (request: number) => string;
  ranges?: boolean;
}

/** A server whose connections break, and that continues a file as real ones do. */
async function serveBreaking({ breaks, version = () => '"one"', ranges = true }: Breaking) {
  const asked: (string | undefined)[] = [];
  const address = await serve((request, response) => {
    const etag = version(asked.length);
    const range = request.headers.range;
    asked.push(range);
    const isContinued = ranges && range !== undefined && request.headers['if-range'] === etag;
    const from = isContinued ? Number(/bytes=(\d+)-/.exec(range)?.[1]) : 0;
    const rest = FILE.subarray(from);
    response.writeHead(isContinued ? 206 : 200, { 'content-length': rest.length, etag });
    const end = breaks[asked.length - 1];
    if (end === undefined) return void response.end(rest);
    response.write(rest.subarray(0, end), () => setImmediate(() => response.destroy()));
  });
  return { address, asked };
}

async function fetched(address: URL): Promise<{ bytes: Buffer; progress: number[] }> {
  const progress: number[] = [];
  const onBytes = ({ done, total }: { done: number; total: number }): void => {
    expect(total).toBe(FILE.length);
    progress.push(done);
  };
  const found = await download(address, { fetch, onBytes });
  return { bytes: Buffer.concat(await Array.fromAsync(found?.body ?? [])), progress };
}

it('a connection that breaks is continued where it broke, as often as it must', async () => {
  const { address, asked } = await serveBreaking({ breaks: [20_000, 10_000, undefined] });
  const { bytes, progress } = await fetched(address);
  expect(bytes.equals(FILE)).toBe(true);
  expect(asked).toEqual([undefined, 'bytes=20000-', 'bytes=30000-']);
  expect(progress.at(-1)).toBe(FILE.length);
  expect(progress.toSorted((a, b) => a - b)).toEqual(progress);
});

it.each<[string, Breaking]>([
  ['the file has changed meanwhile', { breaks: [20_000, undefined], version: (request) => `"${request}"` }],
  ['the server cannot continue', { breaks: [20_000, undefined], ranges: false }],
  ['the server does not say which version it sends', { breaks: [20_000, undefined], version: () => 'W/"weak"' }],
  ['nothing arrives any more', { breaks: [20_000, 0, 0, 0, 0, 0, 0, 0, 0] }],
])('a connection that breaks fails when %s', async (_name, how) => {
  const { address } = await serveBreaking(how);
  await expect(fetched(address)).rejects.toThrow('broke off: try again');
});

it('a file that is not the one the server announced is refused', async () => {
  const address = await serve((request, response) => {
    if (request.url !== '/file/config.json')
      return void response
        .writeHead(302, { location: '/file/config.json', 'x-linked-etag': `"${'0'.repeat(64)}"` })
        .end();
    response.end('{}');
  });
  const source = addressSource(address, temporaryHome(), { fetch });
  expect(await source.take('config.json', 1_000)).toMatchObject({ bytes: 2 });
  await expect(source.take('tokenizer.json', 1_000)).rejects.toThrow(
    'tokenizer.json is not the file that was announced',
  );
});
