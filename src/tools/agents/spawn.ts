import { NOBODY } from '../../vocabulary/asker.ts';
import type { AnswerProblem } from '../answer-problem.ts';
import { defineTool } from '../define-tool.ts';
import type { Inheritance } from '../delegation.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';

export interface SpawnedAgent {
  name: string;
  message: string;
  model?: string;
  injectInto?: string;
  /** What it takes over from the turn that started it. */
  inherited: Inheritance;
}

/** Starts a sub-agent that continues in the background. Resolves once it is on record; rejects with AgentError. */
export type SpawnAgent = (agent: SpawnedAgent) => Promise<{ id: string }>;

export interface SubagentSpawnDependencies {
  spawn: SpawnAgent;
  answerProblem: AnswerProblem;
  isGatewayRunning(): Promise<boolean>;
}

export function createSubagentSpawnTool({
  spawn,
  answerProblem,
  isGatewayRunning,
}: SubagentSpawnDependencies): ToolSpec {
  return defineTool({
    name: 'subagent_spawn',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 200 },
        message: { type: 'string', minLength: 1, maxLength: 100_000 },
        model: { type: 'string', minLength: 1, maxLength: 200 },
        injectInto: { type: 'string', pattern: '^[a-z]+((/[^:]+)?:|_).+$', maxLength: 200 },
      },
      required: ['name', 'message'],
      additionalProperties: false,
    },
    // It runs what this turn could run itself, under the same rules, with nobody there to ask.
    effect: 'exec',
    isFolded: true,
    subject: noSubject,
    startsTurns: true,
    onlyInForeground: true,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 10_000,
    async execute({ name, message, model, injectInto }, { delegation, language }) {
      const replies = repliesIn({ language });
      if (!delegation) throw new ToolFailure('subagent_spawn runs within a turn: use it through "lainclaw ask"');
      const { givenNameProblem } = await import('../../lib/given-name.ts');
      const problem = givenNameProblem(name);
      if (problem) throw new ToolFailure(`this cannot name a sub-agent: ${problem}`);
      const inherited = delegation.inherit();
      const chat = injectInto ?? inherited.chat;
      const { id } = await spawn({ name, message, model, injectInto: chat, inherited });
      const where =
        chat === undefined ? replies.agentShownBy(`lainclaw agents status ${id}`) : replies.agentAnswersIn(chat);
      const notes =
        chat === undefined
          ? []
          : [
              (await isGatewayRunning()) ? undefined : replies.agentWaits,
              await answerProblem(chat, inherited.asker ?? NOBODY),
            ];
      const note = notes.filter((text) => text !== undefined).join('\n');
      return {
        data: { id, name, state: 'queued', ...(chat !== undefined && { injectInto: chat }), ...(note && { note }) },
        text: `${replies.agentStarted(name, id)}; ${where}.${note ? `\n${note}` : ''}`,
      };
    },
  });
}
