// A registry of one npm package on this machine: the two requests that npm makes for it.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NpmRegistry {
  url: string;
  close(): void;
}

export interface PublishedPackage {
  manifest: { name: string; version: string };
  archive: Buffer;
  /** What the registry says of the archive; by default the truth. */
  integrity?: string;
}

export async function startNpmRegistry({ manifest, archive, integrity }: PublishedPackage): Promise<NpmRegistry> {
  const server = createServer((request, response) => {
    if (decodeURIComponent(request.url ?? '') === `/${manifest.name}`) {
      const sum = integrity ?? `sha512-${createHash('sha512').update(archive).digest('base64')}`;
      const version = { ...manifest, dist: { tarball: `${address()}/archive.tgz`, integrity: sum } };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          name: manifest.name,
          'dist-tags': { latest: manifest.version },
          versions: { [manifest.version]: version },
        }),
      );
    } else if (request.url === '/archive.tgz') response.end(archive);
    else response.writeHead(404).end('{}');
  });
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: address(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
