// Renders a server's result for a model and for a program. Pictures go beside it; other binary parts are named, not shown.
import type { RawResult } from './connect.ts';
import type { McpOutput } from './mcp.ts';

export function outputOf({ content, structuredContent, isError, notes = [] }: RawResult): McpOutput {
  const parts = (Array.isArray(content) ? content : []).map(described);
  const texts = parts.map(({ text }) => text).filter((text) => text !== '');
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  const pictures = parts.flatMap(({ picture }) => picture ?? []);
  return {
    ...(pictures.length > 0 && { pictures }),
    ok: isError !== true,
    text: [...texts, ...notes].join('\n\n'),
    data: {
      content: parts.map(({ data }) => data),
      ...(structuredContent !== undefined && { structuredContent }),
      ...(notes.length > 0 && { notes }),
    },
  };
}

interface Described {
  text: string;
  data: unknown;
  picture?: { mediaType: string; data: string };
}

function described(part: Record<string, unknown>): Described {
  const { type } = part;
  switch (type) {
    case 'text':
      return { text: String(part.text ?? ''), data: { type, text: part.text } };
    case 'image': {
      const bytes = Math.floor((String(part.data ?? '').length * 3) / 4);
      const picture = { mediaType: String(part.mimeType ?? ''), data: String(part.data ?? '') };
      // The code that bounds it reports what becomes of it.
      return { text: '', data: { type, mimeType: part.mimeType, bytes }, picture };
    }
    case 'audio': {
      const bytes = Math.floor((String(part.data ?? '').length * 3) / 4);
      const data = { type, mimeType: part.mimeType, bytes };
      return { text: `[${type} ${String(part.mimeType ?? '')}, ${bytes} bytes, not shown]`, data };
    }
    case 'resource_link':
      return { text: `[${String(part.name ?? 'resource')}: ${String(part.uri ?? '')}]`, data: part };
    case 'resource': {
      const { uri, mimeType, text, blob } = (part.resource ?? {}) as Record<string, unknown>;
      if (typeof text === 'string') return { text: `[${String(uri)}]\n${text}`, data: { type, uri, mimeType, text } };
      const bytes = Math.floor((String(blob ?? '').length * 3) / 4);
      return { text: `[${String(uri)}, ${bytes} bytes, not shown]`, data: { type, uri, mimeType, bytes } };
    }
    default:
      return { text: `[${String(type)}, not shown]`, data: { type } };
  }
}
