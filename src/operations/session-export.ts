// A conversation as a document.
import { localTime } from '../lib/local-time.ts';
import type { ExportedCounts, Exporter } from '../sessions/export/exporter.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { findSessions, SESSION_CHOICE } from './find-sessions.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, POSITIVE, TEXT, YES_OR_NO } from './schemas.ts';

export const EXPORT_FORMATS = ['markdown', 'json', 'jsonl', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportSession = defineOperation({
  name: 'sessions.export',
  class: 'read',
  people: 'session',
  summary: 'Write a whole conversation as Markdown, HTML, JSON or JSON lines.',
  input: {
    type: 'object',
    properties: {
      ...SESSION_CHOICE,
      all: { ...YES_OR_NO, default: false, description: 'every session that was ever kept under this key' },
      format: { enum: EXPORT_FORMATS, default: 'markdown' },
      since: { type: 'string', description: 'only turns from this moment on, ISO 8601' },
      last: { ...POSITIVE, description: 'only the newest turns of each session' },
    },
    required: ['key'],
    additionalProperties: false,
  },
  output: objectWith(
    {
      sessionKey: TEXT,
      sessionIds: listOf(TEXT),
      format: TEXT,
      turns: COUNT,
      messages: COUNT,
      damage: {
        ...listOf(objectWith({ sessionId: TEXT, count: COUNT, lines: listOf(COUNT) })),
        description: 'lines of transcripts that cannot be read',
      },
    },
    { document: { type: 'string', description: 'absent where the caller reads it piece by piece' } },
  ),
  async run({ key, sessionId, all, format, since, last }, { runtime: { sessions, environment }, signal, onPiece }) {
    const from = since === undefined ? undefined : momentOf(since);
    const found = await findSessions(sessions, key, { sessionId, all });
    const sessionKey = found[0]?.sessionKey ?? key;
    const { exportSessions } = await import('../sessions/export/exporter.ts');
    const pieces: string[] = [];
    const counts = await forEachPiece(
      exportSessions({
        sessions: found.map(({ sessionKey: own, sessionId: id, createdAt, isCurrent }) => ({
          sessionKey: own,
          sessionId: id,
          createdAt,
          isCurrent,
        })),
        exporter: await exporterOf(format, sessionKey, environment.now()),
        selection: { since: from, last },
        history: (id) => sessions.history(id),
        summaries: (session) => sessions.summaries(session),
        signal,
      }),
      onPiece ?? ((piece) => void pieces.push(piece)),
    );
    const sessionIds = found.map((session) => session.sessionId);
    return { sessionKey, sessionIds, format, ...counts, ...(!onPiece && { document: pieces.join('') }) };
  },
});

function momentOf(since: string): number {
  const moment = Date.parse(since);
  if (!Number.isNaN(moment)) return moment;
  throw new CodedError('INVALID_INPUT', `since is "${since}"; accepted: a moment such as 2026-11-30T08:00:00Z`);
}

async function forEachPiece(
  pieces: AsyncGenerator<string, ExportedCounts>,
  write: (piece: string) => void | Promise<void>,
): Promise<ExportedCounts> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return value;
    if (value !== '') await write(value);
  }
}

async function exporterOf(format: ExportFormat, sessionKey: string, now: number): Promise<Exporter> {
  // What cannot be read as a time is not repeated: it could be anything.
  const time = (iso: string): string => (Number.isNaN(Date.parse(iso)) ? '(time unknown)' : localTime(iso));
  const clock = { time, zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  switch (format) {
    case 'markdown':
      return (await import('../sessions/export/markdown.ts')).createMarkdownExporter(clock);
    case 'html':
      return (await import('../sessions/export/html.ts')).createHtmlExporter(`Session ${sessionKey}`, clock);
    case 'jsonl':
      return (await import('../sessions/export/json.ts')).createJsonLinesExporter();
    case 'json': {
      const { createJsonExporter } = await import('../sessions/export/json.ts');
      return createJsonExporter({ exportedAt: new Date(now).toISOString(), sessionKey });
    }
  }
}
