// Files in, pictures out. An upload waits for the turn that names it. A picture is served only when its bytes are one, from the folder of
// a session's workspace or from what its tools have kept.
import type { FileHandle } from 'node:fs/promises';
import { sessionPrefix } from '../../gateway/console-access/own-sessions.ts';
import { imageType } from '../../lib/image-type.ts';
import type { ConsoleContext } from '../context.ts';
import { bodyPieces, callerOf, type Exchange, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';

const LARGEST_UPLOAD = 25 * 1024 * 1024;
const LARGEST_PICTURE = 20 * 1024 * 1024;

export function fileRoutes({ runtime, workspaceFor, limits }: ConsoleContext): Route[] {
  /** Only what is in the session's workspace, and what its own tools have kept, on whichever machine. */
  async function open(session: string, path: string, signal: AbortSignal): Promise<FileHandle> {
    const entry = path.startsWith('/') ? await runtime.sessions.get(session) : undefined;
    const output = entry && (await runtime.openOutput(entry.sessionId, path));
    if (output) return output;
    const { files } = await workspaceFor(session);
    if (path.startsWith('/') && !path.startsWith(`${files.root}/`)) throw notFound();
    return (await files.openFile(path.startsWith('/') ? path.slice(files.root.length + 1) : path, signal)).handle;
  }

  /**
   * Others than the owner see the pictures that came with their questions and that tools have returned to them. What a message says
   * is not a proof: anybody can write the path of somebody else's picture.
   */
  async function checkOwns(exchange: Exchange, session: string, path: string): Promise<void> {
    const { id, isOwner } = callerOf(exchange);
    if (isOwner) return;
    if (!session.startsWith(sessionPrefix(id))) throw notFound();
    const entry = await runtime.sessions.get(session);
    if (!entry || !(await isRecorded(entry.sessionId, path))) throw notFound();
  }

  async function isRecorded(sessionId: string, path: string): Promise<boolean> {
    for await (const item of runtime.sessions.history(sessionId)) {
      if (item.kind !== 'turn') continue;
      const { pictures = [], calls } = item.turn;
      const recorded = [...pictures, ...calls.flatMap(({ result }) => result?.pictures ?? [])];
      if (recorded.some((picture) => picture.path === path)) return true;
    }
    return false;
  }

  return [
    {
      method: 'POST',
      path: '/api/uploads',
      admits: 'person',
      body: 'bytes',
      async handle(exchange) {
        const name = exchange.url.searchParams.get('name') ?? '';
        if (name.trim() === '' || name.length > 500)
          throw new Problem(400, 'NAME_REQUIRED', 'name the file: POST /api/uploads?name=photo.png');
        const { id: person, isOwner } = callerOf(exchange);
        const uploads = await runtime.uploads();
        const keep = () =>
          uploads.keep({ name, content: bodyPieces(exchange, LARGEST_UPLOAD), person, most: LARGEST_UPLOAD });
        sendJson(exchange, await (isOwner ? keep() : limits.run(person, 'uploads', keep)), 201);
      },
    },
    {
      method: 'GET',
      path: '/api/attachments',
      admits: 'person',
      body: 'none',
      isLoadedByBrowser: true,
      async handle(exchange) {
        const { searchParams } = exchange.url;
        const [session = '', path = ''] = ['session', 'path'].map((key) => searchParams.get(key) ?? '');
        if (session === '' || path === '')
          throw new Problem(400, 'PATH_REQUIRED', 'accepted: ?session=<key>&path=<path of a picture>');
        await checkOwns(exchange, session, path);
        const handle = await open(session, path, exchange.signal).catch(() => Promise.reject(notFound()));
        try {
          if ((await handle.stat()).size > LARGEST_PICTURE)
            throw new Problem(413, 'TOO_LARGE', 'the picture is too large to be shown');
          sendPicture(exchange, await handle.readFile());
        } finally {
          await handle.close();
        }
      },
    },
  ];
}

function sendPicture({ response }: Exchange, bytes: Buffer): void {
  const type = imageType(bytes);
  if (!type) throw notFound();
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'private, max-age=3600',
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  response.end(bytes);
}

function notFound(): Problem {
  return new Problem(404, 'NOT_FOUND', 'there is no picture here');
}
