import { expect, test } from 'vitest';
import { type Circumstances, failureOf } from './failure.ts';
import { errorIn, retryAfterMs } from './provider-error.ts';

const HERE: Circumstances = {
  provider: 'openai',
  address: 'https://api.example.com/v1',
  model: 'gpt-x',
  signIn: 'lainclaw auth login openai',
  secrets: ['hush-hush-123'],
};

const refusal = (status: number, body: unknown) =>
  failureOf({ refusal: { status, error: errorIn(JSON.stringify(body)) }, rawArguments: new Map() }, {}, HERE);
const streamError = (event: object) => failureOf({ streamError: errorIn(event), rawArguments: new Map() }, {}, HERE);

test.for([
  [401, { error: { message: 'Incorrect API key provided: sk-abc*****xyz.', code: 'invalid_api_key' } }, 'auth'],
  [403, { error: { type: 'permission_error', message: 'Your API key does not have permission' } }, 'auth'],
  [403, { error: { code: 'content_policy_violation', message: 'flagged' } }, 'refused'],
  [402, { error: { message: 'Insufficient Balance' } }, 'refused'],
  [
    429,
    { error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' } },
    'refused',
  ],
  [
    429,
    { error: { type: 'rate_limit_error', message: 'Number of request tokens has exceeded your rate limit' } },
    'rate_limit',
  ],
  [
    429,
    { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_in_seconds: 7200 } },
    'rate_limit',
  ],
  [400, { error: { message: 'Your credit balance is too low to access the Anthropic API' } }, 'refused'],
  [
    400,
    { error: { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens." } },
    'context_length',
  ],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
    },
    'context_length',
  ],
  [
    400,
    { error: { message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000' } },
    'context_length',
  ],
  [400, { error: 'the request exceeds the available context size, try increasing it' }, 'context_length'],
  [413, { error: { type: 'request_too_large' } }, 'context_length'],
  [400, { error: { message: "Invalid 'tools[0].name'" } }, 'refused'],
  [400, { detail: 'Unsupported parameter: max_output_tokens' }, 'refused'],
  [404, { error: 'model "llama9" not found, try pulling it first' }, 'refused'],
  [408, {}, 'network'],
  [500, { error: { message: 'The server had an error' } }, 'overloaded'],
  [502, '<html>Bad gateway</html>', 'overloaded'],
  [529, { error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
] as const)('HTTP %i %o is %s', ([status, body, code]) => {
  expect(refusal(status, body)).toMatchObject({ code, message: expect.stringMatching(/^openai: .+\(HTTP \d+/) });
});

test.for([
  [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
  [{ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }, 'rate_limit'],
  [{ type: 'error', code: 'server_error', message: 'oops' }, 'overloaded'],
  [
    { type: 'error', error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'too long' } },
    'context_length',
  ],
  [{ error: { code: 'rate_limit_exceeded', message: 'too many tokens a minute' } }, 'rate_limit'],
  [{ error: { code: 'invalid_prompt', message: 'flagged' } }, 'refused'],
  [{ error: { code: 502, message: 'provider returned error' } }, 'overloaded'],
  [{ error: { type: 'authentication_error', message: 'no' } }, 'auth'],
] as const)('in the stream, %o is %s', ([event, code]) => {
  expect(streamError(event)).toMatchObject({ code });
});

test('an answer that filled the context is not mistaken for one that broke off', () => {
  const ended = (message: string) => failureOf({ rawArguments: new Map() }, { message }, HERE);
  expect(ended('Unhandled stop reason: model_context_window_exceeded')).toMatchObject({ code: 'context_length' });
  expect(ended('Stream ended without finish_reason')).toMatchObject({ code: 'protocol' });
});

test('messages say what to do and hold no secret', () => {
  const { message } = refusal(401, {
    error: { message: 'Bad key hush-hush-123 or sk-proj-aaaaaaaaaaaa, Bearer abcdefghijkl' },
  });
  expect(message).toContain('lainclaw auth login openai');
  expect(message).not.toMatch(/hush|aaaa|abcdef/);
  expect(refusal(404, {}).message).toContain('lainclaw models');
  expect(refusal(500, { error: { message: 'x'.repeat(5000) } }).message.length).toBeLessThan(600);
  expect(refusal(503, '<html><body>Cloudflare</body></html>').message).not.toContain('<');
});

test('what is tried again by itself is also reported without advice', () => {
  expect(refusal(500, { error: { message: 'key hush-hush-123' } }).brief).toBe(
    `${HERE.provider}: the service is overloaded or failing (HTTP 500)`,
  );
  expect(refusal(401, {}).brief).toBeUndefined();
});

test('Retry-After is read in seconds, milliseconds, as a date, and from a used-up plan', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const read = (headers: Record<string, string>, body: object = {}) =>
    retryAfterMs(new Headers(headers), errorIn(body), now);
  expect(read({ 'retry-after': '3' })).toBe(3000);
  expect(read({ 'retry-after': '3', 'retry-after-ms': '40' })).toBe(40);
  expect(read({ 'retry-after': 'Sun, 15 Nov 2026 12:01:00 GMT' })).toBe(60_000);
  expect(read({ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' })).toBe(0);
  expect(read({ 'retry-after': 'soon' })).toBeUndefined();
  expect(read({}, { error: { type: 'usage_limit_reached', resets_in_seconds: 90 } })).toBe(90_000);
  expect(read({})).toBeUndefined();
});
