// web_fetch against a real server.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePdf } from '../../../test/support/make-pdf.ts';
import type { ToolArgs, ToolContext, ToolSpec } from '../tool.ts';
import { createWebFetchTool } from './fetch.ts';

let server: Server;
let base: string;
let directory: string;
let tool: ToolSpec;
let asked: IncomingMessage[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  directory = mkdtempSync(join(tmpdir(), 'lainclaw-web-'));
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  base = `http://127.0.0.1:${port}`;
  tool = createWebFetchTool({ privateHosts: [`127.0.0.1:${port}`] });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

const fetched = (args: ToolArgs) =>
  tool.execute(args, {
    signal: new AbortController().signal,
    keptPath: async (name: string) => join(directory, name),
  } as unknown as ToolContext);

const html = (body: string, title = 'A page') =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
const page = (
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'text/html; charset=utf-8' },
) => {
  answer = (_, response) => void response.writeHead(200, headers).end(body);
};

describe('web_fetch', () => {
  it('shows the main text with its title and address, marked as from that page', async () => {
    page(
      html(
        '<nav><a href="/x">Menu</a></nav><article><h2>Retries</h2><p>Five times, <a href="/why">why?</a></p></article>',
      ),
    );
    const { text, data, meta } = await fetched({ url: `${base}/docs#part` });
    expect(text).toBe(`# A page\n\n<${base}/docs>\n\n## Retries\n\nFive times, [why?](${base}/why)`);
    expect(data).toMatchObject({ url: `${base}/docs`, status: 200, title: 'A page', mediaType: 'text/html' });
    expect(meta).toEqual({ tainted: true, taintedBy: [`page:${base}/docs`] });
  });

  it.each([
    ['gb18030', 'text/html; charset=gb18030', Buffer.from([0xb6, 0xd3, 0xc1, 0xd0]), '队列'],
    [
      'windows-1251',
      'text/html; charset=windows-1251',
      Buffer.from([0xee, 0xf7, 0xe5, 0xf0, 0xe5, 0xe4, 0xfc]),
      'очередь',
    ],
  ])('reads %s', async (_, type, bytes, text) => {
    page(Buffer.concat([Buffer.from('<html><body><p>'), bytes, Buffer.from('</p></body></html>')]), {
      'content-type': type,
    });
    expect((await fetched({ url: base })).text).toContain(text);
  });

  it('reads the charset that only the page names', async () => {
    const head = Buffer.from('<html><head><meta charset="koi8-r"></head><body><p>');
    page(Buffer.concat([head, Buffer.from([0xcd, 0xc9, 0xd2]), Buffer.from('</p></body></html>')]), {
      'content-type': 'text/html',
    });
    expect((await fetched({ url: base })).text).toContain('мир');
  });

  it.each(['text/html', 'text/plain'])('finds the charset by the bytes where nothing names it: %s', async (type) => {
    page(Buffer.from('b6d3c1d0bbe1b1a3c1f4c3bfd2bbccf5cffbcfa2', 'hex'), { 'content-type': type });
    expect((await fetched({ url: base })).text).toContain('队列会保留每一条消息');
  });

  it('gives plain files as they are, and the source with raw', async () => {
    page('{"a": 1}', { 'content-type': 'application/json' });
    expect((await fetched({ url: base })).text).toBe(`<${base}/>\n\n{"a": 1}`);
    page(html('<p>x</p>'));
    expect((await fetched({ url: base, format: 'raw' })).text).toContain('<p>x</p>');
    expect((await fetched({ url: base, format: 'text' })).text).toBe(`<${base}/>\n\nx`);
  });

  it('keeps a long page in a file, and shows what bears on the prompt', async () => {
    const parts = Array.from(
      { length: 300 },
      (_, index) => `<p>Part ${index}: ${'words about nothing '.repeat(10)}</p>`,
    );
    parts[250] = '<p>The zeppelin needs seven litres of helium.</p>';
    page(html(`<article>${parts.join('')}</article>`));
    const { text, data } = await fetched({ url: base, prompt: 'How much helium does the zeppelin need?' });
    expect(text?.length).toBeLessThan(20_000);
    expect(text).toContain('seven litres of helium');
    expect(text).toContain('Part 0:');
    const { path } = data as { path: string };
    expect(readFileSync(path, 'utf8')).toContain('Part 299:');
  });

  it('follows redirects of the same host, and names one to another host', async () => {
    answer = ({ url }, response) => {
      if (url === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (url === '/b') response.writeHead(200, { 'content-type': 'text/plain' }).end('here');
      else response.writeHead(301, { location: 'http://evil.example/x' }).end();
    };
    expect((await fetched({ url: `${base}/a` })).data).toMatchObject({ url: `${base}/b`, content: 'here' });
    const elsewhere = await fetched({ url: `${base}/c` });
    expect(elsewhere.data).toEqual({ url: `${base}/c`, redirectsTo: 'http://evil.example/x' });
  });

  it('follows a redirect whose address has letters of other scripts in it', async () => {
    answer = ({ url }, response) => {
      if (url === '/') response.writeHead(302, { location: Buffer.from('/队列/очередь').toString('latin1') }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(decodeURIComponent(url ?? ''));
    };
    expect((await fetched({ url: base })).data).toMatchObject({ content: '/队列/очередь' });
  });

  it('follows a page that only sends its readers on, and shows its source where that was asked for', async () => {
    const sending =
      '<html><head><!-- <meta http-equiv="refresh" content="0;url=/old"> --><meta content="0; URL=\'latest/a.html?a=1&amp;b=2\'" http-equiv=Refresh></head></html>';
    answer = ({ url }, response) => {
      const to: Record<string, string> = {
        '/docs/': sending,
        '/away': sending.replace('latest/', 'http://evil.example/'),
      };
      const body = to[url ?? ''] ?? '<p>The docs.</p>';
      response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    };
    expect((await fetched({ url: `${base}/docs/` })).data).toMatchObject({
      url: `${base}/docs/latest/a.html?a=1&b=2`,
      content: 'The docs.',
    });
    expect((await fetched({ url: `${base}/away` })).data).toMatchObject({
      redirectsTo: 'http://evil.example/a.html?a=1&b=2',
    });
    expect((await fetched({ url: `${base}/docs/`, format: 'raw' })).data).toMatchObject({ content: sending });
  });

  it('a page that loads itself again, now or later, is read where it is', async () => {
    page(
      html('<p>Live figures.</p>').replace(
        '<title>',
        '<meta http-equiv="refresh" content="0"><meta http-equiv="refresh" content="30;url=/next"><title>',
      ),
    );
    expect((await fetched({ url: base })).text).toContain('Live figures.');
    expect(asked).toHaveLength(1);
  });

  it('says of a page that it writes its text with scripts', async () => {
    page('<html><head><title>App</title></head><body><div id="root"></div><script src="/a.js"></script></body></html>');
    expect((await fetched({ url: base })).text).toContain('writes its text with scripts, which are not run here');
  });

  it('refuses an answer that is packed in a way that was not asked for', async () => {
    page('(\xb5/\xfd', { 'content-type': 'text/plain', 'content-encoding': 'zstd' });
    await expect(fetched({ url: base })).rejects.toThrow(/packed in a way that was not asked for: zstd/);
  });

  it.each(['http://user:pass@127.0.0.1/', 'file:///etc/passwd'])('a redirect to %s is refused', async (location) => {
    answer = (_, response) => void response.writeHead(302, { location }).end();
    await expect(fetched({ url: base })).rejects.toThrow(/leave them out|not an address of the web/);
  });

  it('ends redirects that do not', async () => {
    answer = (_, response) => void response.writeHead(302, { location: '/again' }).end();
    await expect(fetched({ url: base })).rejects.toThrow(/again and again/);
    expect(asked.length).toBeLessThan(15);
  });

  it('asks again only whether a page has changed', async () => {
    answer = ({ headers }, response) => {
      if (headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end('the same');
    };
    const first = await fetched({ url: base });
    expect(await fetched({ url: base })).toEqual(first);
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
  });

  it('refuses what is too large, also when it is packed', async () => {
    page(gzipSync(Buffer.alloc(20_000_000)), { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    await expect(fetched({ url: base })).rejects.toThrow(/larger than/);
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    };
    await expect(fetched({ url: base })).rejects.toThrow(/larger than/);
  });

  it('shows what a failing server says, as a failure', async () => {
    answer = (_, response) =>
      void response.writeHead(404, { 'content-type': 'text/html' }).end(html('<p>No such page.</p>'));
    await expect(fetched({ url: base })).rejects.toMatchObject({
      message: `${base}/ answered 404`,
      output: { text: expect.stringContaining('No such page.') },
    });
  });

  it('names a file without text, and shows a picture', async () => {
    page(Buffer.from('\x7fELF\0\0'), { 'content-type': 'application/octet-stream' });
    await expect(fetched({ url: base })).rejects.toThrow(/application\/octet-stream, which has no text/);
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    page(png, { 'content-type': 'image/png' });
    expect((await fetched({ url: base })).pictures).toEqual([{ mediaType: 'image/png', data: png.toString('base64') }]);
  });

  it('shows a picture of another kind in one that models take, and names what cannot be shown', async () => {
    const avif = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
      .avif()
      .toBuffer();
    page(avif, { 'content-type': 'image/avif' });
    expect((await fetched({ url: base })).pictures).toMatchObject([{ mediaType: 'image/jpeg' }]);
    page(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), { 'content-type': 'image/heic' });
    await expect(fetched({ url: base })).rejects.toThrow(/cannot be shown: it is a HEIC picture/);
  });

  it('reads a PDF, and says what is wrong with one that cannot be read', async () => {
    page(makePdf([{ lines: ['Seven litres of helium.'] }], { title: 'Zeppelins' }), {
      'content-type': 'application/pdf',
    });
    const { text, data, meta } = await fetched({ url: `${base}/z.pdf` });
    expect(text).toBe(
      `# Zeppelins\n\n<${base}/z.pdf>\n\n[PDF document "Zeppelins"; 1 page]\n\n--- page 1 ---\nSeven litres of helium.\n`,
    );
    expect(data).toMatchObject({ title: 'Zeppelins', mediaType: 'application/pdf' });
    expect(meta).toMatchObject({ tainted: true });
    page(Buffer.from('%PDF-1.7 cut'), { 'content-type': 'application/pdf' });
    await expect(fetched({ url: base })).rejects.toThrow(/cannot be read: it is damaged/);
  });

  it('a page of 50,000 nested elements is read as its text', async () => {
    page(html(`${'<div>'.repeat(50_000)}deep${'</div>'.repeat(50_000)}`));
    expect((await fetched({ url: base })).text).toContain('deep');
  });

  it('a server that never answers is given up with the call', async () => {
    answer = () => {};
    const stop = new AbortController();
    const waiting = tool.execute({ url: base }, { signal: stop.signal } as unknown as ToolContext);
    await once(server, 'request');
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });
});

describe('a page that is made to take long', () => {
  const LONG = 300_000;
  it.each([
    ['open tags', '<a'.repeat(LONG)],
    ['one endless name', `<${'a'.repeat(LONG * 2)}`],
    ['open titles', '<title'.repeat(LONG / 3)],
    ['open scripts', `${'<div>'.repeat(500)}${'<script'.repeat(LONG / 4)}`],
    ['open brackets', '['.repeat(LONG)],
  ])('is read in one pass: %s', async (_, body) => {
    page(body);
    const before = process.cpuUsage();
    await fetched({ url: base, format: 'text' }).catch(() => {});
    const { user } = process.cpuUsage(before);
    // Looking at each byte again from each start would be a thousand times as much.
    expect(user / 1_000_000).toBeLessThan(20);
  });
});
