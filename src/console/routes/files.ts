// Files in, pictures out. An upload waits for the turn that names it. A picture is served only when its bytes are one, from the folder of
// a session's workspace or from what its tools have kept.
import { join } from 'node:path';
import { sessionPrefix } from '../../gateway/console-access/own-sessions.ts';
import { imageType } from '../../lib/image-type.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ConsoleContext } from '../context.ts';
import { bodyBytes, callerOf, type Exchange, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';

const LARGEST_UPLOAD = 25 * 1024 * 1024;
const MESSAGES_LOOKED_AT = 1_000;
const LARGEST_PICTURE = 20 * 1024 * 1024;

export function fileRoutes({ runtime, workspaceFor }: ConsoleContext): Route[] {
  /** The folder that a path is in, and the path within it. */
  async function placeOf(session: string, path: string) {
    const outputs = join(runtime.environment.home, 'outputs');
    if (!path.startsWith('/')) return { files: (await workspaceFor(session)).files, path };
    const entry = await runtime.sessions.get(session);
    const own = `${outputs}/${entry?.sessionId ?? ''}/`;
    if (entry && path.startsWith(own))
      return {
        files: await createWorkspace({ root: outputs, protectedPaths: () => undefined }),
        path: path.slice(outputs.length + 1),
      };
    const { files } = await workspaceFor(session);
    if (path.startsWith(`${files.root}/`)) return { files, path: path.slice(files.root.length + 1) };
    throw notFound();
  }

  /** Others than the owner see the pictures that their own conversation names, not all of the workspace. */
  async function checkOwns(exchange: Exchange, session: string, path: string): Promise<void> {
    const { id, isOwner } = callerOf(exchange);
    if (isOwner) return;
    if (!session.startsWith(sessionPrefix(id))) throw notFound();
    const shown = await runtime.sessions.show(session, MESSAGES_LOOKED_AT);
    if (!shown?.messages.some(({ content }) => content.includes(path))) throw notFound();
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
        const content = await bodyBytes(exchange, LARGEST_UPLOAD);
        if (content.length === 0) throw new Problem(400, 'EMPTY_FILE', `${name} is empty: nothing was uploaded`);
        const { id: person } = callerOf(exchange);
        sendJson(exchange, await (await runtime.uploads()).keep({ name, content, person }), 201);
      },
    },
    {
      method: 'GET',
      path: '/api/attachments',
      admits: 'person',
      body: 'none',
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
