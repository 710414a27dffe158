// Every rule of the services that a client could break: the request is refused in the service's own words, and kept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from './model-server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: () => ({ text: 'Hi' }) });
});
afterAll(() => server.close());

type Body = Record<string, unknown>;
/** What is changed in a request that is otherwise good, and what the service says to it. */
type Case = [rule: string, change: Body, message: string];

const good = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const longName = 'n'.repeat(65);

/** Schemas no service takes, and what is wrong with them. */
const badSchemas: [rule: string, schema: unknown, message: string][] = [
  ['a schema that is not an object', 'string', 'type: "object"'],
  ['a schema of another type', { type: 'string' }, `got 'type: "string"'`],
  ['a schema with a choice at its top', { type: 'object', anyOf: [good, good] }, "not have 'anyOf' at the top level"],
  ['a type JSON Schema does not know', { ...good, properties: { city: { type: 'text' } } }, '/properties/city/type'],
  ['a required that is not a list', { ...good, required: 'city' }, '/required must be array'],
  ['a pattern that is not one', { ...good, properties: { city: { pattern: '(' } } }, '/properties/city/pattern'],
  ['a reference to nothing', { ...good, properties: { city: { $ref: '#/$defs/no' } } }, "reference '#/$defs/no'"],
];
const openAiSchemas: typeof badSchemas = [
  ...badSchemas,
  ['an object without properties', { type: 'object' }, 'object schema missing properties'],
  ['an array without items', { ...good, properties: { city: { type: 'array' } } }, 'array schema missing items'],
];

async function send(path: string, headers: Record<string, string>, body: unknown) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const last = server.requests.at(-1);
  return { status: response.status, text: await response.text(), violations: last?.violations ?? [] };
}

async function expectRefused(path: string, headers: Record<string, string>, body: unknown, message: string) {
  const before = server.violations.length;
  const { status, text, violations } = await send(path, headers, body);
  expect(violations.join('\n')).toContain(message);
  expect(status).toBe(400);
  expect(server.violations.length).toBe(before + violations.length);
  return { error: JSON.parse(text) as Body, first: violations[0] };
}

describe('any dialect', () => {
  test.each(['/v1/responses', '/v1/chat/completions', '/v1/messages'])('%s takes only JSON', async (path) => {
    await expectRefused(path, { 'content-type': 'text/plain' }, '{}', 'Unsupported content type');
    await expectRefused(path, {}, '{"model":', 'could not parse the JSON body');
    await expectRefused(path, {}, '[]', 'could not parse the JSON body');
  });
});

describe('Chat Completions', () => {
  const user = { role: 'user', content: 'Weather?' };
  const call = (id: string, name = 'weather', args: unknown = '{}') => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  const asks = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'rain' });
  const tool = (name: unknown, parameters: unknown = good, strict?: boolean) => ({
    type: 'function',
    function: { name, parameters, strict },
  });
  const request = {
    model: 'm',
    messages: [user, asks(call('c1'), call('c2')), result('c2'), result('c1')],
    tools: [tool('weather')],
  };

  test('a good request is not refused', async () => {
    expect(await send('/v1/chat/completions', {}, request)).toMatchObject({ status: 200, violations: [] });
  });

  const cases: Case[] = [
    ['a model', { model: undefined }, "Missing required parameter: 'model'."],
    ['messages', { messages: undefined }, "Missing required parameter: 'messages'."],
    ['a list of messages', { messages: { 0: user } }, "Invalid type for 'messages'"],
    ['messages that are objects', { messages: ['Weather?'] }, "Invalid type for 'messages[0]'"],
    ['tools that are objects', { tools: ['weather'] }, "Invalid type for 'tools[0]'"],
    ['one message', { messages: [] }, "Invalid 'messages': empty array."],
    ['a known role', { messages: [{ role: 'robot', content: 'x' }] }, "Invalid value: 'robot'."],
    ['content', { messages: [{ role: 'user', content: null }] }, 'expected a string, got null'],
    ['content or calls', { messages: [user, { role: 'assistant', content: null }] }, 'expected a string, got null'],
    [
      'known parts',
      { messages: [{ role: 'user', content: [{ type: 'input_text' }] }] },
      "Invalid value: 'input_text'.",
    ],
    ['some calls in a list of calls', { messages: [user, asks()] }, "Invalid 'messages[1].tool_calls': empty array."],
    ['every call answered', { messages: [user, asks(call('c1'), call('c2')), result('c1')] }, 'messages: c2'],
    ['answers before anything else', { messages: [user, asks(call('c1')), user, result('c1')] }, 'messages: c1'],
    ['a call for every result', { messages: [user, result('c9')] }, "messages with role 'tool' must be a response"],
    ['one result for a call', { messages: [user, asks(call('c1')), result('c1'), result('c1')] }, 'must be a response'],
    ['a call id in a result', { messages: [user, { role: 'tool', content: 'x' }] }, 'tool_call_id'],
    ['call ids only once', { messages: [user, asks(call('c1'), call('c1')), result('c1')] }, 'Duplicate value'],
    ['short call ids', { messages: [user, asks(call('c'.repeat(41))), result('c'.repeat(41))] }, 'maximum length 40'],
    ['JSON arguments', { messages: [user, asks(call('c1', 'weather', '{"a":')), result('c1')] }, 'not valid JSON'],
    ['text arguments', { messages: [user, asks(call('c1', 'weather', { a: 1 })), result('c1')] }, 'expected a string'],
    ['legal names in calls', { messages: [user, asks(call('c1', 'fs.read')), result('c1')] }, 'does not match pattern'],
    ['legal tool names', { tools: [tool('fs.read')] }, "Invalid 'tools[0].function.name'"],
    ['short tool names', { tools: [tool(longName)] }, 'maximum length 64'],
    ['tool names', { tools: [tool(undefined)] }, "Missing required parameter: 'tools[0].function.name'."],
    ['tools only once', { tools: [tool('weather'), tool('weather')] }, "Duplicate tool name: 'weather'."],
    ['some tools in a list of tools', { tools: [] }, "Invalid 'tools': empty array."],
    ['tools to choose from', { tools: undefined, tool_choice: 'auto' }, "'tool_choice' is only allowed when"],
    ['a stream for its options', { stream_options: { include_usage: true } }, "'stream_options' parameter is only"],
    ['known parameters', { colour: 'blue' }, "Unknown parameter: 'colour'."],
    ['closed strict schemas', { tools: [tool('a', good, true)] }, "'additionalProperties' is required"],
    [
      'strict schemas without options',
      { tools: [tool('a', { ...good, required: [], additionalProperties: false }, true)] },
      "Missing 'city'",
    ],
  ];
  test.each(cases)('needs %s', async (_rule, change, message) => {
    const { error, first } = await expectRefused('/v1/chat/completions', {}, { ...request, ...change }, message);
    expect(error).toMatchObject({ error: { type: 'invalid_request_error', message: first } });
  });

  test.each(openAiSchemas)('refuses %s', async (_rule, schema, message) => {
    const body = { ...request, tools: [tool('weather', schema)] };
    const { error } = await expectRefused('/v1/chat/completions', {}, body, message);
    expect(error).toMatchObject({
      error: { code: 'invalid_function_parameters', param: 'tools[0].function.parameters' },
    });
  });
});

describe('Responses', () => {
  const user = { role: 'user', content: 'Weather?' };
  const call = (id: string, change: Body = {}) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name: 'weather',
    arguments: '{}',
    ...change,
  });
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'rain' });
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAAx' };
  const says = { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'Hm.' }] };
  const tool = (name: unknown, parameters: unknown = good, strict?: boolean) => ({
    type: 'function',
    name,
    parameters,
    strict,
  });
  const request = {
    model: 'm',
    instructions: 'Be brief.',
    store: false,
    stream: true,
    input: [user, thought, says, call('c1'), call('c2'), output('c2'), output('c1'), user],
    tools: [tool('weather')],
  };
  const account = { 'chatgpt-account-id': 'a' };

  test('a good request is not refused', async () => {
    expect(await send('/v1/responses', {}, request)).toMatchObject({ status: 200, violations: [] });
    expect(await send('/codex/responses', account, request)).toMatchObject({ status: 200, violations: [] });
  });

  const cases: Case[] = [
    ['a model', { model: '' }, "Missing required parameter: 'model'."],
    ['input', { input: undefined }, "Missing required parameter: 'input'."],
    ['a list as input', { input: { role: 'user' } }, "Invalid type for 'input'"],
    ['items that are objects', { input: ['Weather?'] }, "Invalid type for 'input[0]'"],
    ['tools that are objects', { tools: ['weather'] }, "Invalid type for 'tools[0]'"],
    ['one item', { input: [] }, "Missing required parameter: 'input'."],
    ['known items', { input: [{ type: 'robot' }] }, "Invalid value: 'robot'."],
    ['known roles', { input: [{ role: 'tool', content: 'x' }] }, "Invalid value: 'tool'."],
    ['known parts', { input: [{ role: 'user', content: [{ type: 'text' }] }] }, "Invalid value: 'text'."],
    ['content', { input: [{ role: 'user' }] }, "Invalid type for 'input[0].content'"],
    ['every call answered', { input: [user, call('c1')] }, 'No tool output found for function call c1.'],
    ['answers before the next question', { input: [user, call('c1'), user, output('c1')] }, 'No tool output found'],
    ['a call for every output', { input: [user, output('c9')] }, 'No tool call found for function call output'],
    ['the call before its output', { input: [user, output('c1'), call('c1')] }, 'No tool call found'],
    ['one output for a call', { input: [user, call('c1'), output('c1'), output('c1')] }, 'already closed'],
    ['call ids only once', { input: [user, call('c1'), call('c1'), output('c1')] }, 'Duplicate function call'],
    ['call ids', { input: [user, call('c1', { call_id: '' })] }, "Missing required parameter: 'input[1].call_id'."],
    ['short ids', { input: [user, call('c'.repeat(65)), output('c'.repeat(65))] }, 'maximum length 64'],
    ['ids of the right kind', { input: [user, call('c1', { id: 'x_1' }), output('c1')] }, "begins with 'fc'"],
    ['JSON arguments', { input: [user, call('c1', { arguments: '{' }), output('c1')] }, 'not valid JSON'],
    ['legal names in calls', { input: [user, call('c1', { name: 'a.b' }), output('c1')] }, 'does not match pattern'],
    ['sealed reasoning', { input: [user, { ...thought, encrypted_content: null }, says] }, "Item with id 'rs_1' not"],
    ['its own seal', { input: [user, { ...thought, encrypted_content: 'x' }, says] }, 'could not be verified'],
    ['what reasoning led to', { input: [thought, user] }, 'without its required following item'],
    ['legal tool names', { tools: [tool('fs.read')] }, "Invalid 'tools[0].name'"],
    ['short tool names', { tools: [tool(longName)] }, 'maximum length 64'],
    ['tools only once', { tools: [tool('weather'), tool('weather')] }, "Duplicate tool name: 'weather'."],
    ['known tools', { tools: [{ type: 'robot' }] }, "Invalid value: 'robot'."],
    ['a schema', { tools: [tool('weather', null)] }, "Missing required parameter: 'tools[0].parameters'."],
    ['a choice among the tools', { tool_choice: { type: 'function', name: 'no' } }, "not found in 'tools'"],
    ['a response it knows', { previous_response_id: 'resp_1' }, "Previous response with id 'resp_1' not found."],
    ['room for an answer', { max_output_tokens: 1 }, 'Expected a value >= 16'],
    ['known parameters', { colour: 'blue' }, "Unknown parameter: 'colour'."],
    ['closed strict schemas', { tools: [tool('a', good, true)] }, "'additionalProperties' is required"],
  ];
  test.each(cases)('needs %s', async (_rule, change, message) => {
    const { error, first } = await expectRefused('/v1/responses', {}, { ...request, ...change }, message);
    expect(error).toMatchObject({ error: { type: 'invalid_request_error', message: first } });
  });

  test.each(openAiSchemas)('refuses %s', async (_rule, schema, message) => {
    const body = { ...request, tools: [tool('weather', schema)] };
    const { error } = await expectRefused('/v1/responses', {}, body, message);
    expect(error).toMatchObject({ error: { code: 'invalid_function_parameters', param: 'tools[0].parameters' } });
  });

  const gatewayCases: Case[] = [
    ['instructions', { instructions: undefined }, 'Instructions are required'],
    ['store: false', { store: undefined }, 'Store must be set to false'],
    ['stream: true', { stream: false }, 'Stream must be set to true'],
    ['a list', { input: 'Weather?' }, 'Input must be a list'],
    ['no system messages', { input: [{ role: 'system', content: 'x' }] }, 'System messages are not allowed'],
    ['no output limit', { max_output_tokens: 100 }, 'Unsupported parameter: max_output_tokens'],
    ['no temperature', { temperature: 0 }, 'Unsupported parameter: temperature'],
  ];
  test.each(gatewayCases)('the ChatGPT gateway needs %s', async (_rule, change, message) => {
    const { error } = await expectRefused('/codex/responses', account, { ...request, ...change }, message);
    expect(error).toEqual({ detail: message });
  });

  test('the ChatGPT gateway needs the account', async () => {
    await expectRefused('/codex/responses', {}, request, 'Missing chatgpt-account-id header');
  });

  test('behind the ChatGPT gateway the service speaks as it always does', async () => {
    const body = { ...request, input: [user, call('c1')] };
    const { error } = await expectRefused('/codex/responses', account, body, 'No tool output found');
    expect(error).toMatchObject({ error: { type: 'invalid_request_error', param: 'input' } });
  });
});

describe('Messages', () => {
  const headers = { 'anthropic-version': '2023-06-01' };
  const user = { role: 'user', content: 'Weather?' };
  const use = (id: unknown, change: Body = {}) => ({ type: 'tool_use', id, name: 'weather', input: {}, ...change });
  const asks = (...content: unknown[]) => ({ role: 'assistant', content });
  const result = (id: string, change: Body = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'r', ...change });
  const tells = (...content: unknown[]) => ({ role: 'user', content });
  const text = { type: 'text', text: 'Thanks.' };
  const system = { role: 'system', content: 'Be brief.' };
  const tool = (name: unknown, schema: unknown = good, strict?: boolean) => ({ name, input_schema: schema, strict });
  const request = {
    model: 'm',
    max_tokens: 10,
    messages: [user, asks(use('t1'), use('t2')), tells(result('t2'), result('t1'), text)],
    tools: [tool('weather')],
  };

  test('a good request is not refused', async () => {
    expect(await send('/v1/messages', headers, request)).toMatchObject({ status: 200, violations: [] });
  });

  test('neighbours with one role count as one message', async () => {
    const messages = [user, user, asks(use('t1')), asks(use('t2')), tells(result('t1')), tells(result('t2')), user];
    expect(await send('/v1/messages', headers, { ...request, messages })).toMatchObject({ violations: [] });
  });

  test('a system message may follow a user message', async () => {
    const messages = [user, system, asks(text), user, system];
    expect(await send('/v1/messages', headers, { ...request, messages })).toMatchObject({ violations: [] });
  });

  test('the version of October 2026 has no sampling parameters', async () => {
    const body = { ...request, temperature: 0 };
    expect(await send('/v1/messages', headers, body)).toMatchObject({ status: 200 });
    const newer = { 'anthropic-version': '2026-10-21' };
    await expectRefused('/v1/messages', newer, body, 'temperature: Extra inputs are not permitted');
  });

  test('needs a version it knows', async () => {
    await expectRefused('/v1/messages', {}, request, 'anthropic-version: header is required');
    await expectRefused('/v1/messages', { 'anthropic-version': '1999-01-01' }, request, 'is not a valid version');
  });

  const cases: Case[] = [
    ['a model', { model: undefined }, 'model: Field required'],
    ['max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['room for an answer', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    ['messages', { messages: undefined }, 'messages: Field required'],
    ['a list of messages', { messages: { 0: user } }, 'messages: Input should be a valid list'],
    ['messages that are objects', { messages: ['Weather?'] }, 'Unexpected role "undefined"'],
    ['blocks that are objects', { messages: [tells('Weather?')] }, "Input tag 'undefined'"],
    ['tools that are objects', { tools: ['weather'] }, 'tools.0: Input should be a valid dictionary'],
    ['one message', { messages: [] }, 'messages: at least one message is required'],
    ['the user to begin', { messages: [asks(text), user] }, 'first message must use the "user" role'],
    ['the user to end', { messages: [user, asks(text)] }, 'must end with a user message'],
    ['known roles', { messages: [{ role: 'tool', content: 'x' }] }, 'Unexpected role "tool"'],
    ['content', { messages: [{ role: 'user' }] }, 'messages.0.content: Field required'],
    ['some content', { messages: [tells()] }, 'user messages must have non-empty content'],
    ['text in text blocks', { messages: [tells({ type: 'text', text: '' })] }, 'text content blocks must be non-empty'],
    ['more than blanks', { messages: [{ role: 'user', content: ' ' }] }, 'must contain non-whitespace text'],
    ['known blocks', { messages: [tells({ type: 'input_text', text: 'x' })] }, "Input tag 'input_text'"],
    ['blocks of the role', { messages: [tells(use('t1'))] }, "Input tag 'tool_use'"],
    ['text in the system prompt', { system: [{ type: 'text', text: '' }] }, 'system: text content blocks must be'],
    ['system messages in their place', { messages: [system, user] }, 'a system message must follow a user message'],
    ['every use answered', { messages: [user, asks(use('t1'), use('t2')), tells(result('t1'))] }, 'after: t2'],
    ['answers at once', { messages: [user, asks(use('t1')), user, asks(text), tells(result('t1'))] }, 'after: t1'],
    ['results first', { messages: [user, asks(use('t1')), tells(text, result('t1'))] }, 'after: t1'],
    ['a use for every result', { messages: [user, asks(text), tells(result('t9'))] }, 'unexpected `tool_use_id`'],
    ['one result for a use', { messages: [user, asks(use('t1')), tells(result('t1'), result('t1'))] }, 'single result'],
    ['ids only once', { messages: [user, asks(use('t1'), use('t1')), tells(result('t1'))] }, 'ids must be unique'],
    ['legal ids', { messages: [user, asks(use('c|1')), tells(result('c|1'))] }, 'tool_use.id: String should match'],
    ['an object as input', { messages: [user, asks(use('t1', { input: '{}' })), tells(result('t1'))] }, 'dictionary'],
    ['names of uses', { messages: [user, asks(use('t1', { name: 'a.b' })), tells(result('t1'))] }, 'tool_use.name'],
    [
      'an error that says something',
      { messages: [user, asks(use('t1')), tells(result('t1', { content: '', is_error: true }))] },
      'content cannot be empty if `is_error` is true',
    ],
    [
      'signed thinking',
      { messages: [user, asks({ type: 'thinking', thinking: 'x' }, text), user] },
      'thinking.signature: Field required',
    ],
    [
      'thinking as it was signed',
      { messages: [user, asks({ type: 'thinking', thinking: 'x', signature: 'y' }, text), user] },
      'Invalid `signature` in `thinking` block',
    ],
    ['legal tool names', { tools: [tool('fs.read')] }, 'tools.0.custom.name: String should match pattern'],
    ['short tool names', { tools: [tool(longName)] }, 'tools.0.custom.name: String should match pattern'],
    ['tool names', { tools: [tool(undefined)] }, 'tools.0.custom.name: Field required'],
    ['tools only once', { tools: [tool('weather'), tool('weather')] }, 'tools: Tool names must be unique.'],
    ['a schema', { tools: [{ name: 'weather' }] }, 'tools.0.custom.input_schema: Field required'],
    ['known parameters', { colour: 'blue' }, 'colour: Extra inputs are not permitted'],
    ['closed strict schemas', { tools: [tool('a', good, true)] }, "'additionalProperties' is required"],
  ];
  test.each(cases)('needs %s', async (_rule, change, message) => {
    const { error, first } = await expectRefused('/v1/messages', headers, { ...request, ...change }, message);
    expect(error).toMatchObject({ type: 'error', error: { type: 'invalid_request_error', message: first } });
  });

  test.each(badSchemas)('refuses %s', async (_rule, schema, message) => {
    const body = { ...request, tools: [tool('weather', schema)] };
    const { error } = await expectRefused('/v1/messages', headers, body, message);
    expect(error).toMatchObject({ error: { message: expect.stringContaining('tools.0.custom.input_schema') } });
  });
});
