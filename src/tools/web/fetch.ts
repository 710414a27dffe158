import { writeFile } from 'node:fs/promises';
import { parseHost } from '../../sandbox/network/host.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import type { ToolPicture } from '../pictures.ts';
import { type ToolContext, ToolFailure, type ToolOutput, type ToolSpec } from '../tool.ts';
import type { Downloaded } from './download.ts';
import type { RequestGuard, Resolve } from './guarded-request.ts';
import { createPageCache } from './page-cache.ts';

/** Also the addresses that a server names when it listens on all of them. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);
const LARGEST_BYTES = 10_000_000;
/** More than this is kept in a file, and shortened. */
const WHOLE_CHARACTERS = 30_000;
/** Of a document. */
const MOST_CHARACTERS = 2_000_000;

export interface WebFetchDependencies {
  /** As they are written in config.json. */
  privateHosts?: readonly string[];
  resolve?: Resolve;
}

interface FetchArgs {
  url: string;
  prompt?: string;
  format: 'markdown' | 'text' | 'raw';
}

export function createWebFetchTool({ privateHosts = [], resolve = lookUp }: WebFetchDependencies = {}): ToolSpec {
  const guard = { resolve, privateHosts: privateHosts.flatMap((host) => parseHost(host) ?? []) };
  const pages = createPageCache();
  return defineTool({
    name: 'web_fetch',
    schema: {
      type: 'object',
      properties: {
        url: { type: 'string', minLength: 1, maxLength: 8_000 },
        prompt: { type: 'string', minLength: 1, maxLength: 2_000 },
        format: { type: 'string', enum: ['markdown', 'text', 'raw'], default: 'markdown' },
      },
      required: ['url'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: ({ url }) => ({ kind: 'url', url }),
    rules: { pattern: 'url' },
    requiresPermission: true,
    timeoutMs: 60_000,
    async execute(args, context) {
      const { signal } = context;
      const { download } = await import('./download.ts');
      const own = await ownServer(args.url, context);
      if (own) return fetchOwn(own, args, context);
      const known = pages.get(args.url);
      const options = { guard, signal, maxBytes: LARGEST_BYTES, keepsRefresh: args.format === 'raw' };
      const answer = await download(args.url, { ...options, known: known?.validators }).catch(
        withOwnServers(args.url, context),
      );
      if (answer.kind === 'elsewhere') return redirected(args.url, answer.url);
      const page = answer.kind === 'page' ? answer.page : known;
      if (!page) throw new ToolFailure(`${args.url} was answered with "not modified", and nothing is known of it`);
      pages.put(args.url, page);
      if (page.status >= 400)
        throw new ToolFailure(`${page.url} answered ${page.status}`, { output: await shownPage(page, args, context) });
      return shownPage(page, args, context);
    },
  });
}

type OwnServer = NonNullable<Awaited<ReturnType<NonNullable<ToolContext['processes']>['connect']>>>;

/** A server that a command in the background of this session runs: on its own loopback, which nothing else is on. */
async function ownServer(address: string, { processes }: ToolContext): Promise<OwnServer | undefined> {
  const port = ownPort(address);
  return port === undefined ? undefined : processes?.connect(port);
}

/** Undefined: no server of the session can have this address. */
function ownPort(address: string): number | undefined {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && LOOPBACK.has(url.hostname) ? Number(url.port || 80) : undefined;
}

/** A refusal of loopback also says that no server of the session is there. */
function withOwnServers(address: string, { processes }: ToolContext): (error: unknown) => Promise<never> {
  return async (error) => {
    const port = ownPort(address);
    const running =
      port === undefined ? [] : ((await processes?.list()) ?? []).filter(({ state }) => state === 'running');
    if (!(error instanceof ToolFailure) || running.length === 0) throw error;
    const ids = running.map(({ id }) => id).join(', ');
    throw new ToolFailure(
      `${error.message}. Of the commands in the background of this conversation (${ids}) none listens on port ${port}`,
      { reason: 'denied', cause: error },
    );
  };
}

/** What it answers taints as the output of its command does. */
async function fetchOwn(
  { process, connection }: OwnServer,
  args: FetchArgs,
  context: ToolContext,
): Promise<ToolOutput> {
  const { download } = await import('./download.ts');
  let first: OwnServer['connection'] | undefined = connection;
  const guard: RequestGuard = {
    resolve: lookUp,
    privateHosts: [],
    async ownServer(url) {
      const made = first ?? (await ownServer(url.href, context))?.connection;
      first = undefined;
      return made;
    },
  };
  const keepsRefresh = args.format === 'raw';
  const answer = await download(args.url, { guard, signal: context.signal, maxBytes: LARGEST_BYTES, keepsRefresh });
  if (answer.kind === 'elsewhere') return redirected(args.url, answer.url);
  if (answer.kind !== 'page') throw new ToolFailure(`${args.url} was answered with "not modified"`);
  const { page } = answer;
  const shown = await shownPage(page, args, context);
  const { tainted: _tainted, taintedBy: _taintedBy, ...meta } = shown.meta ?? {};
  // The server may have read what came into the workspace after its start.
  const taintedBy = [...new Set([...process.taintedBy, ...((await context.taintOfAnyFile?.()) ?? [])])];
  const output = { ...shown, meta: { ...meta, ...(taintedBy.length > 0 && { tainted: true, taintedBy }) } };
  if (page.status >= 400) throw new ToolFailure(`${page.url} answered ${page.status}`, { output });
  return output;
}

async function lookUp(name: string): ReturnType<Resolve> {
  const { lookup } = await import('node:dns/promises');
  return lookup(name, { all: true });
}

/** Of another host: a person who permitted this one has not permitted that. */
function redirected(from: string, to: string): ToolOutput {
  return {
    data: { url: from, redirectsTo: to },
    text: `${from} redirects to another host: ${to}\nFetch that address to read it.`,
    meta: tainted(from),
  };
}

async function shownPage(page: Downloaded, args: FetchArgs, context: ToolContext): Promise<ToolOutput> {
  const { url, status, mediaType, bytes } = page;
  const facts = { url, status, mediaType, bytes: bytes.length };
  const picture = await pictureOf(page);
  if (picture !== undefined) {
    const text = `${url}: a picture (${picture.mediaType})`;
    return { data: facts, text, pictures: [picture], meta: tainted(url) };
  }
  const document = await readDocumentOf(page, context.signal);
  const { title, text } = document ?? (await readText(page, args.format));
  const shown = await bounded(text, args.prompt, context);
  const head = [title !== '' && args.format === 'markdown' ? `# ${title}` : '', `<${url}>`].filter(
    (line) => line !== '',
  );
  return {
    data: { ...facts, ...(title !== '' && { title }), content: shown.text, ...(shown.path && { path: shown.path }) },
    text: [...head, shown.text || '(the page has no text)'].join('\n\n'),
    ...(document?.pictures.length && { pictures: document.pictures }),
    meta: { ...tainted(url), ...(shown.path && { fullOutputPath: shown.path }) },
  };
}

/** As models take it; undefined: the page is none. One of their kinds that cannot be prepared goes as it is. */
async function pictureOf({ url, bytes }: Downloaded): Promise<ToolPicture | undefined> {
  const { isPicture, KIND_BYTES } = await import('../../documents/document-kind.ts');
  if (!isPicture(bytes.subarray(0, KIND_BYTES))) return undefined;
  const [{ imageType }, { preparePicture }] = await Promise.all([
    import('../../lib/image-type.ts'),
    import('../../documents/prepare-picture.ts'),
  ]);
  const mediaType = imageType(bytes);
  const prepared = await preparePicture(bytes).catch((error: unknown) => {
    if (!(error instanceof CodedError)) throw error;
    if (!mediaType) throw new ToolFailure(`${url} cannot be shown: ${error.message}`, { cause: error });
    return { mediaType, bytes };
  });
  return { mediaType: prepared.mediaType, data: prepared.bytes.toString('base64') };
}

/** The text of a PDF, an Office document or another file that is not plain text; undefined: the page is none. */
async function readDocumentOf(
  { url, bytes }: Downloaded,
  signal: AbortSignal,
): Promise<{ title: string; text: string; pictures: ToolPicture[] } | undefined> {
  const { documentKind, KIND_BYTES } = await import('../../documents/document-kind.ts');
  const kind = documentKind(bytes.subarray(0, KIND_BYTES), '');
  if (kind === undefined) return undefined;
  const { readDocument } = await import('../../documents/read-document.ts');
  const { documentSummary } = await import('../../documents/document-summary.ts');
  const request = { kind, source: { bytes }, maxCharacters: MOST_CHARACTERS, pictures: 'without-text' } as const;
  const document = await readDocument(request, signal).catch((error: unknown) => {
    if (!(error instanceof CodedError)) throw error;
    throw new ToolFailure(`${url} cannot be read: ${error.message}`, { cause: error });
  });
  const { next: _next, ...whole } = document;
  return {
    title: document.title ?? '',
    text: `${documentSummary(whole)}\n\n${document.text}`,
    pictures: document.pictures.map(({ mediaType, bytes: picture }) => ({
      mediaType,
      data: Buffer.from(picture).toString('base64'),
    })),
  };
}

async function readText(page: Downloaded, format: FetchArgs['format']): Promise<{ title: string; text: string }> {
  const { isHtml, plainText } = await import('./page-text.ts');
  const source = plainText(page);
  if (source === undefined) {
    const kind = page.mediaType || 'a file of an unknown kind';
    throw new ToolFailure(`${page.url} is ${kind}, which has no text to show`);
  }
  if (format === 'raw' || !isHtml(page.mediaType)) return { title: '', text: source };
  const { readablePage } = await import('../../documents/html/readable-page.ts');
  const { title, markdown, isCut, needsScripts } = readablePage(source, page.url);
  const note = isCut
    ? '\n\n[the page is longer than what is read of one]'
    : needsScripts
      ? '\n\n[the page writes its text with scripts, which are not run here: a browser tool can read it]'
      : '';
  return { title, text: (format === 'text' ? withoutMarks(markdown) : markdown) + note };
}

async function bounded(
  text: string,
  prompt: string | undefined,
  { keptPath }: ToolContext,
): Promise<{ text: string; path?: string }> {
  if (text.length <= WHOLE_CHARACTERS) return { text };
  const path = await keptPath('page.md');
  await writeFile(path, text, { mode: 0o600 });
  const { shortened } = await import('./passages.ts');
  const note = `[${text.length} characters in all; the whole page is in ${path}]`;
  return { text: `${shortened(text, prompt)}\n\n${note}`, path };
}

function withoutMarks(markdown: string): string {
  return markdown
    .replace(/\[([^[\]]{0,2000})\]\([^)\s]{0,2000}\)/g, '$1')
    .replace(/^#{1,6} /gm, '')
    .replace(/\*\*([^*]{1,2000})\*\*/g, '$1');
}

function tainted(url: string): { tainted: true; taintedBy: string[] } {
  return { tainted: true, taintedBy: [taintSource('page', url)] };
}
