import type { SharedMemory } from '../../memory/memory.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { MemoryReader } from '../../vocabulary/memory-scope.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolPreview, type ToolSpec } from '../tool.ts';

/** Forgetting more than one memory. */
export interface ForgetMore {
  /** Where a text is kept, a line each; empty when it is nowhere. */
  findText(text: string, signal: AbortSignal): Promise<string[]>;
  forgetText(text: string, signal: AbortSignal): Promise<void>;
  /** A conversation by its key, in one line that says nothing of what is in it; undefined when there is none. */
  describeConversation(key: string): Promise<string | undefined>;
  /** With everything that was kept of it. */
  forgetConversation(key: string): Promise<void>;
}

export interface MemoryForgetDependencies {
  memory(): Promise<SharedMemory>;
  forgetMore: ForgetMore;
}

interface Wanted {
  id?: string;
  text?: string;
  session?: string;
}

const ONE = 'give one of id, text and session';

/** Needs permission: what it removes is gone for good. */
export function createMemoryForgetTool({ memory, forgetMore }: MemoryForgetDependencies): ToolSpec {
  async function previewOf(wanted: Wanted, reader: MemoryReader, signal: AbortSignal): Promise<ToolPreview> {
    const { id, text, session } = checked(wanted, reader);
    if (id !== undefined) {
      const found = await (await memory()).as(reader).get(id);
      if (!found) throw new ToolFailure(`there is no memory "${id}": memory_search shows the ids`);
      return { summary: `forget ${id} for good`, text: found.text, paths: [] };
    }
    if (text !== undefined) {
      const places = await forgetMore.findText(text, signal).catch(orFailure);
      if (places.length === 0) throw new ToolFailure(`"${text}" is kept nowhere`);
      return { summary: `forget "${text}" everywhere, for good`, text: places.join('\n'), paths: [] };
    }
    const described = await forgetMore.describeConversation(session ?? '');
    if (described === undefined) throw new ToolFailure(`there is no conversation "${session}"`);
    return { summary: `delete the conversation ${session} for good`, text: described, paths: [] };
  }

  return defineTool({
    name: 'memory_forget',
    schema: {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 100 },
        text: { type: 'string', minLength: 2, maxLength: 1_000 },
        session: { type: 'string', minLength: 1, maxLength: 300 },
      },
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    onlyInForeground: true,
    subject: noSubject,
    requiresPermission: true,
    lasts: true,
    timeoutMs: 120_000,
    preview: (wanted, { reader, signal }) => previewOf(wanted, reader, signal),
    async execute(wanted, context) {
      const { reader, signal } = context;
      const { id, text, session } = checked(wanted, reader);
      if (id !== undefined) await (await memory()).as(reader).forget(id).catch(orFailure);
      else if (text !== undefined) await forgetMore.forgetText(text, signal).catch(orFailure);
      else await forgetMore.forgetConversation(session ?? '').catch(orFailure);
      // A text that is forgotten is not said again.
      return { data: { forgotten: true }, text: repliesIn(context).forgotten(id ?? session ?? '') };
    },
  });
}

function checked(wanted: Wanted, { sees }: MemoryReader): Wanted {
  const given = [wanted.id, wanted.text, wanted.session].filter((each) => each !== undefined);
  if (given.length !== 1) throw new ToolFailure(ONE);
  if (wanted.id === undefined && sees !== 'everything')
    throw new ToolFailure('only the owner can forget a text or a conversation everywhere');
  return wanted;
}

function orFailure(error: unknown): never {
  if (error instanceof CodedError) throw new ToolFailure(error.message, { cause: error });
  throw error;
}
