// A registry of npm packages on loopback: documents and tarballs that npm accepts, checked sums included. It counts its
// connections.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RegistryPackage {
  name: string;
  /** Files by name; package.json is made. */
  files: Readonly<Record<string, string>>;
  /** Where its tarball is said to be, instead of here. */
  tarball?: string;
}

export interface NpmRegistry {
  /** `127.0.0.1:4873`. */
  host: string;
  url: string;
  connections(): number;
  close(): Promise<void>;
}

const VERSION = '1.0.0';

export async function startNpmRegistry(packages: readonly RegistryPackage[]): Promise<NpmRegistry> {
  const tarballs = new Map(packages.map((each) => [each.name, pack(each)]));
  let connections = 0;
  const server = createServer((request, response) => {
    const [, name = '', isTarball] = /^\/([\w-]+)(\/-\/.*\.tgz)?$/.exec(request.url ?? '') ?? [];
    const tarball = tarballs.get(name);
    if (!tarball) response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
    else if (isTarball) response.end(tarball);
    else {
      const { tarball: elsewhere } = packages.find((each) => each.name === name) ?? {};
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(document(name, tarball, elsewhere ?? `${url}${name}/-/${name}-${VERSION}.tgz`)));
    }
  }).on('connection', () => {
    connections += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}/`;
  return {
    host,
    url,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function document(name: string, tarball: Buffer, address: string): object {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const version = { name, version: VERSION, dist: { tarball: address, integrity } };
  return { name, 'dist-tags': { latest: VERSION }, versions: { [VERSION]: version } };
}

function pack({ name, files }: RegistryPackage): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'npm-package-'));
  try {
    mkdirSync(join(folder, 'package'));
    const written = { 'package.json': JSON.stringify({ name, version: VERSION }), ...files };
    for (const [file, text] of Object.entries(written)) writeFileSync(join(folder, 'package', file), text);
    execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
    return readFileSync(join(folder, 'package.tgz'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
