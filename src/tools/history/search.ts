import { MemoryError } from '../../memory/memory-error.ts';
import type { PastConversations } from '../../memory/past-conversations.ts';
import type { Found } from '../../memory/search.ts';
import { isTaintedSource, untaintedSource } from '../../memory/tainted-source.ts';
import { createWallTime, type WallTime, wallText } from '../../memory/time/wall-clock.ts';
import { StorageError } from '../../storage/storage.ts';
import { isOfOthers } from '../../vocabulary/memory-scope.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';

/** What is spent on conversations that are not in the index yet, before it is searched. */
const CATCH_UP_MS = 1_500;

export function createHistorySearchTool({
  pastConversations,
  systemTimezone,
}: {
  pastConversations(): Promise<PastConversations>;
  systemTimezone(): string;
}): ToolSpec {
  const time = createWallTime(systemTimezone);
  return defineTool({
    name: 'history_search',
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
      const past = await pastConversations();
      const { done, total } = await past
        .catchUp({ milliseconds: CATCH_UP_MS, whenBusy: 'leave', signal })
        .catch(orFailure);
      const { results, leftOut } = await past.search(reader, query, { topK, since, until, signal }).catch(orFailure);
      const note = done < total ? `only ${done} of ${total} conversations are indexed yet` : undefined;
      const tainted = results.some(({ scope, source }) => isOfOthers(scope) || isTaintedSource(source));
      return {
        data: { results, leftOut, ...(note !== undefined && { note }) },
        text: render(results, { note, time }),
        ...(tainted && { meta: { tainted: true, taintedBy: [taintSource('memory')] } }),
      };
    },
  });
}

function render(results: readonly Found[], { note, time }: { note?: string; time: WallTime }): string {
  const said = results.map(
    ({ source, date, speaker, text }) => `[${untaintedSource(source)} | ${wallText(date, time)} | ${speaker}]\n${text}`,
  );
  const lines = said.length > 0 ? said : ['nothing found'];
  return [...lines, ...(note === undefined ? [] : [`(${note})`])].join('\n\n');
}

function orFailure(error: unknown): never {
  if (error instanceof StorageError || error instanceof MemoryError)
    throw new ToolFailure(error.message, { cause: error });
  throw error;
}
