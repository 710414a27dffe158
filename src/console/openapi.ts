// The OpenAPI 3.1 document of the API. Operations are described by their own schemas, which it embeds as they are.
import { OPERATIONS } from '../operations/all.ts';
import type { Operation } from '../operations/operation.ts';
import { startTurn } from '../operations/start-turn.ts';
import { PAGE_HEADER } from './guard.ts';

type Json = Record<string, unknown>;

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer', minimum: 0 };
const JSON_TYPE = 'application/json';

const PROBLEM = {
  type: 'object',
  properties: { type: TEXT, title: TEXT, status: { type: 'integer' }, code: TEXT, detail: TEXT, hint: TEXT },
  required: ['type', 'title', 'status', 'code', 'detail'],
};

const UPLOAD = {
  type: 'object',
  properties: { id: TEXT, name: TEXT, type: TEXT, bytes: WHOLE },
  required: ['id', 'name', 'type', 'bytes'],
};

const ME = {
  type: 'object',
  properties: {
    person: { type: 'object', properties: { id: TEXT, name: TEXT }, required: ['id', 'name'] },
    role: { enum: ['owner', 'person'] },
    language: TEXT,
    version: TEXT,
    basePath: TEXT,
    sessionId: { ...TEXT, description: 'of this browser; absent where a token is used' },
  },
  required: ['person', 'role', 'version', 'basePath'],
};

const EVENTS = {
  type: 'object',
  properties: {
    turn: { type: 'object', additionalProperties: true },
    events: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
  required: ['turn', 'events'],
};

export function openApiDocument({ version, basePath }: { version: string; basePath: string }): Json {
  const operations = OPERATIONS.map((operation) => [
    `/api/operations/${operation.name}`,
    { post: operationPath(operation) },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lainclaw',
      version,
      summary: 'The API behind the web console.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ cookie: [], page: [] }, { token: [] }],
    tags: tags(),
    paths: { ...fixedPaths(), ...Object.fromEntries(operations) },
    components: {
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'lainclaw', description: 'set by the link of `lainclaw up`' },
        page: { type: 'apiKey', in: 'header', name: PAGE_HEADER, description: '`page` of the answer to signing in' },
        token: { type: 'http', scheme: 'bearer', description: 'service/gateway-token in the home; of this start' },
      },
      responses: {
        Problem: {
          description: 'Why not, and what to do.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      schemas: { Problem: PROBLEM },
    },
  };
}

function tags(): Json[] {
  const nouns = [...new Set(OPERATIONS.map(({ name }) => nounOf(name)))];
  return [
    { name: 'api', description: 'Turns, events, files, signing in' },
    ...nouns.map((noun) => ({ name: noun, description: `Operations on ${noun}` })),
  ];
}

function operationPath({ name, class: kind, summary, input, output }: Operation): Json {
  return {
    operationId: name.replace(/[^\w]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    tags: [nounOf(name)],
    'x-class': kind,
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: input } } },
    responses: answers({ description: 'The result.', schema: output }),
  };
}

function fixedPaths(): Json {
  return {
    '/api/operations': {
      get: {
        ...about('listOperations', 'List every operation with its schemas.'),
        responses: answers({ schema: { type: 'array', items: { type: 'object', additionalProperties: true } } }),
      },
    },
    '/api/turns': {
      post: {
        ...about('startTurn', startTurn.summary),
        requestBody: { required: true, content: { [JSON_TYPE]: { schema: startTurn.input } } },
        responses: answers({ status: 202, description: 'It runs.', schema: startTurn.output }),
      },
    },
    '/api/turns/{id}/events': {
      get: {
        ...about('readTurn', 'Read the events of a turn so far.'),
        parameters: [parameter('path', 'id', TEXT), parameter('query', 'after', WHOLE)],
        responses: answers({ schema: EVENTS }),
      },
    },
    '/api/events': {
      get: {
        ...about('followEvents', 'Follow everything that happens, as server-sent events with numbers.'),
        parameters: [
          parameter('query', 'after', WHOLE),
          parameter('query', 'person', TEXT),
          parameter('header', 'Last-Event-ID', TEXT),
        ],
        responses: answers({ type: 'text/event-stream', schema: TEXT }),
      },
    },
    '/api/uploads': {
      post: {
        ...about('upload', 'Upload a file for the next turn.'),
        parameters: [{ ...parameter('query', 'name', TEXT), required: true }],
        requestBody: { required: true, content: { 'application/octet-stream': {} } },
        responses: answers({ status: 201, description: 'It is kept for a day.', schema: UPLOAD }),
      },
    },
    '/api/attachments': {
      get: {
        ...about('readPicture', 'Read a picture of a conversation.'),
        parameters: ['session', 'path'].map((name) => ({ ...parameter('query', name, TEXT), required: true })),
        responses: answers({ type: 'image/*' }),
      },
    },
    '/api/me': { get: { ...about('me', 'Tell who is signed in.'), responses: answers({ schema: ME }) } },
    '/api/logout': {
      post: {
        ...about('logout', 'Sign this browser out.'),
        requestBody: { required: true, content: { [JSON_TYPE]: { schema: { type: 'object' } } } },
        responses: answers({ schema: { type: 'object', properties: { signedOut: { type: 'boolean' } } } }),
      },
    },
    '/api/openapi.json': {
      get: { ...about('openapi', 'This document.'), responses: answers({ schema: { type: 'object' } }) },
    },
  };
}

function about(operationId: string, summary: string): Json {
  return { operationId: `api${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`, summary, tags: ['api'] };
}

function parameter(place: 'path' | 'query' | 'header', name: string, schema: Json): Json {
  return { name, in: place, ...(place === 'path' && { required: true }), schema };
}

function answers({
  status = 200,
  description = 'Done.',
  type = JSON_TYPE,
  schema,
}: {
  status?: number;
  description?: string;
  type?: string;
  schema?: unknown;
}): Json {
  return {
    [status]: { description, content: { [type]: schema === undefined ? {} : { schema } } },
    '4XX': { $ref: '#/components/responses/Problem' },
  };
}

function nounOf(name: string): string {
  return name.split('.')[0] ?? name;
}
