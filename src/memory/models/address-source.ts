// A model whose files are below an address, each fetched by its path.
import { copyStream } from './copy-file.ts';
import { type DownloadOptions, download, shown } from './download.ts';
import type { ModelSource } from './model-files.ts';

export function addressSource(
  given: URL,
  directory: string,
  options: Pick<DownloadOptions, 'fetch' | 'onBytes'>,
): ModelSource {
  const base = baseOf(given);
  return {
    from: shown(given),
    name: nameOf(given),
    isRemote: true,
    async take(path, limit, signal) {
      const address = new URL(base);
      address.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
      const found = await download(address, { ...options, signal });
      if (!found) return undefined;
      const { body, sha256 } = found;
      return copyStream(body, { directory, path, limit, from: shown(address), signal, sha256 });
    },
  };
}

/** Replaces the page of a model on Hugging Face by the address of its files. */
function baseOf(given: URL): URL {
  const isPage = given.hostname === 'huggingface.co' && /^\/[^/]+\/[^/]+\/?$/.test(given.pathname);
  return isPage ? new URL(`${given.pathname.replace(/\/$/, '')}/resolve/main`, given) : given;
}

function nameOf({ pathname, hostname }: URL): string {
  const parts = pathname.replace(/\/resolve\/[^/]+\/?$/, '').split('/');
  return parts.filter((part) => part !== '').at(-1) ?? hostname;
}
