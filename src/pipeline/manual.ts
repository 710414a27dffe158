// Tools called by hand. Without a question their results are the answer; with one, the model is asked about them.
import type { ToolCall } from '../tools/tool.ts';
import { answerWithModel } from './answer.ts';
import { type CalledTool, callTools } from './call-tools.ts';
import { CANCELLED, type Outcome } from './commit.ts';
import { CALLED_BY_HAND, type RunEvent } from './events.ts';
import type { ManualTrigger } from './manual-trigger.ts';
import type { TurnContext } from './turn-context.ts';

export async function* answerManually(context: TurnContext, trigger: ManualTrigger): AsyncGenerator<RunEvent, Outcome> {
  if (trigger.kind === 'unparsable') {
    const { tool, message } = trigger;
    return {
      stage: 'answered',
      text: `No tool was run: ${message}.`,
      called: [],
      route: CALLED_BY_HAND,
      toolError: { tool, code: 'invalid_args', message },
    };
  }
  const { registry, executor, turn, grants, newId, signal } = context;
  const calls = trigger.calls.map(({ name, args }): ToolCall => ({ id: newId('call'), name, args, source: 'ask' }));
  const called = yield* callTools({ calls, registry, executor, turn, grants, signal });
  if (signal.aborted) return { stage: 'cancelled', text: undefined, called, failure: CANCELLED, route: CALLED_BY_HAND };
  if (trigger.question !== '') return yield* answerWithModel(context, { question: trigger.question, before: called });
  return { stage: 'answered', text: called.map(sayResult).join('\n\n'), called, route: CALLED_BY_HAND };
}

function sayResult({ call, executed }: CalledTool): string {
  return `${call.name}: ${executed.text}`;
}
