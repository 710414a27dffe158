import { AgentError } from '../../agents/agent-error.ts';
import type { Agents } from '../../agents/agents.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import type { OwnContent } from '../own-content.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolOutput, type ToolSpec } from '../tool.ts';

const HALF_AN_HOUR = 1_800_000;

export interface TaskDependencies extends Pick<OwnContent, 'isTrusted'> {
  agents(): Promise<Agents>;
}

/**
 * Waits for a sub-agent. The call itself only reads: whatever the sub-agent does is judged and journalled in its own turn,
 * with no more than this turn has.
 */
export function createTaskTool({ agents, isTrusted }: TaskDependencies): ToolSpec {
  return defineTool({
    name: 'task',
    schema: {
      type: 'object',
      properties: {
        agent: { type: 'string', minLength: 1, maxLength: 200 },
        prompt: { type: 'string', minLength: 1, maxLength: 100_000 },
      },
      required: ['agent', 'prompt'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    startsTurns: true,
    timeoutMs: HALF_AN_HOUR,
    async execute({ agent: name, prompt }, { workspace, signal, progress, delegation }) {
      if (!delegation) throw new ToolFailure('task runs within a turn: use it through "lainclaw ask"');
      const agent = await (await agents()).get(name, { workspace, signal }).catch((error: unknown): never => {
        if (error instanceof AgentError) throw new ToolFailure(error.message);
        throw error;
      });
      const { instructions, tools, model, source } = agent;
      const isForeign = source === 'workspace' && !(await isTrusted(workspace.root));
      const taintedBy = isForeign ? [taintSource('agent', name)] : [];
      const turn = { name, instructions, prompt, tools, model, taintedBy };
      const answer = await delegation.wait(turn, signal, progress);
      const { sessionId, toolCalls, stage, usage, taintedBy: brought } = answer;
      const output = (text: string): ToolOutput => ({
        data: { agent: name, answer: text, stage, toolCalls, session: sessionId, ...(usage && { usage }) },
        text,
        // In the caller's transcript, this is where its own is found.
        meta: { session: sessionId, ...(brought.length > 0 && { tainted: true, taintedBy: brought }) },
      });
      if (answer.ok) return output(answer.text);
      throw new ToolFailure(`the sub-agent ${name} failed: ${answer.error}`, { output: output('') });
    },
  });
}
