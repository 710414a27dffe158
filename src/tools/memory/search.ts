import type { SharedMemory } from '../../memory/memory.ts';
import type { Found, SearchResult } from '../../memory/search.ts';
import { isTaintedSource } from '../../memory/tainted-source.ts';
import { createWallTime, type WallTime, wallDay } from '../../memory/time/wall-clock.ts';
import { isOfOthers } from '../../vocabulary/memory-scope.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createMemorySearchTool({
  memory,
  systemTimezone,
}: {
  memory(): Promise<SharedMemory>;
  systemTimezone(): string;
}): ToolSpec {
  const time = createWallTime(systemTimezone);
  return defineTool({
    name: 'memory_search',
    schema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1 },
        topK: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
        since: { type: 'string' },
        until: { type: 'string' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    timeoutMs: 20_000,
    async execute({ query, topK, since, until }, { reader, signal }) {
      const options = { topK, since, until, signal };
      const found = await (await memory()).as(reader).search(query, options).catch(orToolFailure);
      const tainted = found.results.some(({ scope, source }) => isOfOthers(scope) || isTaintedSource(source));
      return {
        data: found,
        text: render(found, time),
        ...(tainted && { meta: { tainted: true, taintedBy: [taintSource('memory')] } }),
      };
    },
  });
}

function render({ results, note, leftOut }: SearchResult, time: WallTime): string {
  if (results.length === 0) return `nothing found${note ? ` (${note})` : ''}`;
  const more = leftOut > 0 ? [`(${leftOut} more left out: ask for something narrower)`] : [];
  return [...results.map((found) => renderFound(found, time)), ...more].join('\n\n');
}

/** A line of provenance, then the text: cheaper for a model than JSON. Days are the person's. */
function renderFound(found: Found, time: WallTime): string {
  const { id, scope, source, date, about, speaker, context, score, text, supersededBy, kind, validUntil } = found;
  const facts = [
    id,
    scope === 'owner' ? undefined : scope,
    kind ?? source,
    wallDay(date, time),
    about && `about ${about.join(', ')}`,
    speaker,
    context,
    `score ${score}`,
  ];
  const until = validUntil === undefined ? '' : `true until ${wallDay(validUntil, time)}, `;
  if (supersededBy) facts.push(`${until}replaced by ${supersededBy}`);
  return `[${facts.filter((fact) => fact !== undefined).join(' | ')}]\n${text}`;
}
