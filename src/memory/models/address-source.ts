// A model whose files are below an address, each fetched by its path.
import { copyStream } from './copy-file.ts';
import { download, type Fetch, shown } from './download.ts';
import type { ModelSource } from './model-files.ts';

export function addressSource(given: URL, directory: string, { fetch }: { fetch: Fetch }): ModelSource {
  const base = baseOf(given);
  return {
    from: shown(given),
    name:
      given.pathname
        .split('/')
        .filter((part) => part !== '')
        .at(-1) ?? given.hostname,
    async take(path, limit, signal) {
      const address = new URL(base);
      address.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
      const stream = await download(address, { fetch, signal });
      return stream && copyStream(stream, { directory, path, limit, from: shown(address), signal });
    },
  };
}

/** Replaces the page of a model on Hugging Face by the address of its files. */
function baseOf(given: URL): URL {
  const isPage = given.hostname === 'huggingface.co' && /^\/[^/]+\/[^/]+\/?$/.test(given.pathname);
  return isPage ? new URL(`${given.pathname.replace(/\/$/, '')}/resolve/main`, given) : given;
}
