import { type FormSchema, PERSON_MS } from '../../mcp/elicitation.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';

const LONGEST_ANSWER = 20_000;

/** Puts a question to the person, in their own words or with choices. The model gets the answer as it was given. */
export function createAskUserTool(): ToolSpec {
  return defineTool({
    name: 'ask_user',
    schema: {
      type: 'object',
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 4_000 },
        choices: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 300 },
          maxItems: 12,
          default: [],
        },
      },
      required: ['question'],
      additionalProperties: false,
    },
    effect: 'read',
    onlyInForeground: true,
    subject: noSubject,
    timeoutMs: PERSON_MS,
    async execute({ question, choices }, context) {
      const { askForm, signal } = context;
      if (!askForm) return unanswered(context);
      const answer = await askForm({ message: question, schema: answerSchema(choices) }, signal);
      if (answer.action !== 'accept') return unanswered(context);
      const given = String(answer.content.answer);
      return { data: { answered: true, answer: given }, text: given };
    },
  });
}

/** The choices are suggestions: another answer fits too. */
function answerSchema(choices: readonly string[]): FormSchema {
  const [first] = choices;
  const repeated = choices.find((choice, index) => choices.indexOf(choice) !== index);
  if (repeated !== undefined)
    throw new ToolFailure(`"${repeated}" occurs twice among the choices`, { code: 'invalid_args' });
  const suggestions = first === undefined ? {} : { examples: choices };
  return {
    type: 'object',
    properties: { answer: { type: 'string', minLength: 1, maxLength: LONGEST_ANSWER, ...suggestions } },
    required: ['answer'],
  };
}

function unanswered(context: ToolContext): { data: { answered: false }; text: string } {
  return { data: { answered: false }, text: repliesIn(context).notAnswered };
}
