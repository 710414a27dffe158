// Files in, pictures out. An upload waits for the turn that names it. A picture is served only when its bytes are one, from the folder of
// a session's workspace or from what its tools have kept.
import { join } from 'node:path';
import { sessionPrefix } from '../../gateway/console-access/own-sessions.ts';
import { imageType } from '../../lib/image-type.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ConsoleContext } from '../context.ts';
import { bodyPieces, callerOf, type Exchange, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';

const LARGEST_UPLOAD = 25 * 1024 * 1024;
const LARGEST_PICTURE = 20 * 1024 * 1024;

export function fileRoutes({ runtime, workspaceFor, limits }: ConsoleContext): Route[] {
  /** The folder that a path is in, and the path within it. */
  async function placeOf(session: string, path: string) {
    if (!path.startsWith('/')) return { files: (await workspaceFor(session)).files, path };
    const entry = await runtime.sessions.get(session);
    const own = entry && join(runtime.environment.home, 'outputs', entry.sessionId);
    if (own !== undefined && path.startsWith(`${own}/`)) {
      // Opened at the session's own folder: no path leads to what other sessions have kept.
      const opening = createWorkspace({ root: own, protectedPaths: () => undefined });
      return { files: await opening.catch(() => Promise.reject(notFound())), path: path.slice(own.length + 1) };
    }
    const { files } = await workspaceFor(session);
    if (path.startsWith(`${files.root}/`)) return { files, path: path.slice(files.root.length + 1) };
    throw notFound();
  }

  /**
   * Others than the owner see the pictures that came with their questions and that tools have returned to them. What a message says
   * is no proof: anybody can write the path of somebody else's picture.
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
        const place = await placeOf(session, path);
        const opened = await place.files.openFile(place.path, exchange.signal).catch(() => Promise.reject(notFound()));
        try {
          if (opened.size > LARGEST_PICTURE)
            throw new Problem(413, 'TOO_LARGE', 'the picture is too large to be shown');
          sendPicture(exchange, await opened.handle.readFile());
        } finally {
          await opened.handle.close();
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
