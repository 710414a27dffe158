// What a request holds besides the conversation, part by part: the turn joins them, and `/context` says how large each is.
import type { ModelTool } from '../adapters/adapter.ts';
import type { OfferedTools } from '../tools/offered-tools.ts';
import { readerOf } from '../vocabulary/asker.ts';
import { systemPrompt } from './prompt.ts';
import type { TurnContext } from './turn-context.ts';

export type PromptContext = Pick<
  TurnContext,
  'adapter' | 'language' | 'request' | 'toolbox' | 'instructions' | 'coreMemory' | 'signal'
>;

export interface PromptParts {
  system: string;
  /** What people wrote down for the assistant, and what a sub-agent is. */
  instructions: string[];
  tools: readonly ModelTool[];
  /** What is known across sessions to the person who asks; for the note of the turn. */
  coreMemory: string;
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
    coreMemory: adapter.callsTools ? await context.coreMemory(readerOf(request.asker)) : '',
    notices,
  };
}

/** Of the owner's turns, and of those that nobody else asked for, also what the owner wrote about themselves. */
async function readInstructions({ adapter, request, instructions, signal }: PromptContext) {
  if (!adapter.callsTools) return { text: '', notices: [] };
  const isOwner = request.asker?.kind !== 'nobody' && readerOf(request.asker).scope === 'owner';
  return instructions({ isOwner, system: request.system, signal });
}
