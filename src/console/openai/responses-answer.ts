// The answer to POST /v1/responses: whole, or as the events that its clients build it from.
import type { ServerResponse } from 'node:http';
import { newId } from '../../lib/new-id.ts';
import { ApiError, apiErrorOf } from './api-error.ts';
import type { ApiAnswer, ApiTurn } from './api-turn.ts';
import { wholeAnswer } from './chat-answer.ts';
import { sendWhole, startEvents } from './send.ts';

type Item = Record<string, unknown>;

export async function answerResponses(turn: ApiTurn, response: ServerResponse, created: number): Promise<void> {
  const answer = await wholeAnswer(turn);
  const output = [
    ...(answer.text === '' ? [] : [messageItem(newId('msg'), answer.text)]),
    ...answer.calls.map(callItem),
  ];
  sendWhole(response, responseOf({ id: newId('resp'), model: turn.model, created }, { output, answer }));
}

export async function streamResponses(
  turn: ApiTurn,
  response: ServerResponse,
  { created, onDefect }: { created: number; onDefect(error: unknown): void },
): Promise<void> {
  const facts = { id: newId('resp'), model: turn.model, created };
  const write = startEvents(response);
  let sequence = 0;
  const send = (type: string, fields: object): void => {
    write({ type, sequence_number: sequence, ...fields }, type);
    sequence += 1;
  };
  const output: Item[] = [];
  send('response.created', { response: responseOf(facts, { output: [] }) });
  send('response.in_progress', { response: responseOf(facts, { output: [] }) });
  try {
    const id = newId('msg');
    const place = { item_id: id, output_index: 0, content_index: 0 };
    let text = '';
    let step = await turn.pieces.next();
    for (; !step.done; step = await turn.pieces.next()) {
      if (step.value.type !== 'text') continue;
      if (text === '') {
        send('response.output_item.added', {
          output_index: 0,
          item: { ...messageItem(id, ''), status: 'in_progress', content: [] },
        });
        send('response.content_part.added', { ...place, part: textPart('') });
      }
      text += step.value.text;
      send('response.output_text.delta', { ...place, delta: step.value.text, logprobs: [] });
    }
    if (text !== '') {
      const item = messageItem(id, text);
      send('response.output_text.done', { ...place, text, logprobs: [] });
      send('response.content_part.done', { ...place, part: textPart(text) });
      send('response.output_item.done', { output_index: 0, item });
      output.push(item);
    }
    for (const call of step.value.calls) {
      const item = callItem(call);
      const at = { item_id: item.id, output_index: output.length };
      send('response.output_item.added', {
        output_index: output.length,
        item: { ...item, status: 'in_progress', arguments: '' },
      });
      send('response.function_call_arguments.delta', { ...at, delta: item.arguments });
      send('response.function_call_arguments.done', { ...at, name: call.name, arguments: item.arguments });
      send('response.output_item.done', { output_index: output.length, item });
      output.push(item);
    }
    const type = step.value.isCut ? 'response.incomplete' : 'response.completed';
    send(type, { response: responseOf(facts, { output, answer: step.value }) });
  } catch (error) {
    const told = apiErrorOf(error);
    if (!told) onDefect(error);
    const { code, message } = told ?? new ApiError(500, 'internal', 'the gateway failed: its log tells why');
    send('response.failed', {
      response: { ...responseOf(facts, { output }), status: 'failed', error: { code, message } },
    });
  }
  response.end();
}

function responseOf(
  { id, model, created }: { id: string; model: string; created: number },
  { output, answer }: { output: Item[]; answer?: ApiAnswer },
): Item {
  const status = answer === undefined ? 'in_progress' : answer.isCut ? 'incomplete' : 'completed';
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    metadata: {},
    usage: answer === undefined ? null : usageOf(answer),
  };
}

function messageItem(id: string, text: string): Item {
  return { id, type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] };
}

function textPart(text: string): Item {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function callItem({ id, name, args }: ApiAnswer['calls'][number]): Item {
  return {
    id: newId('fc'),
    type: 'function_call',
    status: 'completed',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  };
}

function usageOf({ usage: { input, output, cached } }: ApiAnswer): Item {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
