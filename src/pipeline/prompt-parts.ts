// What a request holds besides the conversation, part by part: the turn joins them, and `/context` says how large each is.
import type { ModelTool } from '../adapters/adapter.ts';
import type { OfferedTools } from '../tools/offered-tools.ts';
import { readerOf } from '../vocabulary/asker.ts';
import { taintSource } from '../vocabulary/taint-source.ts';
import { memoryTail, type SeenMessages } from './compact.ts';
import { systemPrompt } from './prompt.ts';
import type { TurnContext } from './turn-context.ts';

export type PromptContext = Pick<
  TurnContext,
  'adapter' | 'language' | 'request' | 'turn' | 'toolbox' | 'instructions' | 'coreMemory' | 'notes' | 'taint' | 'signal'
>;

export interface PromptParts {
  system: string;
  /** What people wrote down for the assistant, and what a sub-agent is. */
  instructions: string[];
  tools: readonly ModelTool[];
  /** What is remembered, for the note of the turn. */
  memories: string[];
  /** What the person should know about the instructions. */
  notices: string[];
}

export async function promptParts(context: PromptContext, offered: OfferedTools): Promise<PromptParts> {
  const { adapter, request, toolbox } = context;
  const offersTools = request.withTools && adapter.callsTools;
  const { text, notices } = await readInstructions(context);
  return {
    system: systemPrompt({ workspaceRoot: toolbox.workspaceRoot, language: context.language }),
    instructions: [text, request.instructions ?? ''].filter((part) => part !== ''),
    tools: offersTools ? await offered.tools() : [],
    memories: await memories(context),
    notices,
  };
}

/** Of the owner's turns, and of those that nobody else asked for, also what the owner wrote about themselves. */
async function readInstructions({ adapter, request, instructions, signal }: PromptContext) {
  if (!adapter.callsTools) return { text: '', notices: [] };
  const isOwner = request.asker?.kind !== 'nobody' && readerOf(request.asker).scope === 'owner';
  return instructions({ isOwner, system: request.system, signal });
}

/** What is known across sessions to whoever asks, always; what this one summarised, when it remembers. */
async function memories({ adapter, request, turn, notes, coreMemory, taint }: PromptContext): Promise<string[]> {
  const core = adapter.callsTools ? await coreMemory(readerOf(request.asker)) : '';
  const own = turn.entry.memoryEnabled ? await memoryTail(notes, turn.entry.sessionKey, seenBy(turn)) : undefined;
  if (own?.tainted) taint.add([taintSource('memory')]);
  return [core, own?.text ?? ''].filter((text) => text !== '');
}

/** From the first message that is in the history, or in the summary before it. */
function seenBy({ entry, history, messageCount, ownMessages }: PromptContext['turn']): SeenMessages {
  const { summary, turns, hasOlder } = history;
  const before = messageCount() - ownMessages().length;
  const inHistory = turns.reduce((sum, { messages }) => sum + messages.length, 0);
  const fromMessage = hasOlder || !summary ? before - inHistory + 1 : summary.fromMessage;
  return { sessionId: entry.sessionId, fromMessage };
}
