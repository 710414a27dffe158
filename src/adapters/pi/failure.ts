// What went wrong, as one of the contract's codes with a sentence that says what to do. Decided from what was seen on
// the wire (status, error code, how the stream ended); the library's own sentence is the last resort.

import { redact } from '../../lib/redact.ts';
import type { ModelFailure, ModelFailureCode } from '../adapter.ts';
import { inWords } from '../duration.ts';
import type { ProviderError } from './provider-error.ts';
import type { Seen } from './wire.ts';

export interface Circumstances {
  provider: string;
  /** Where it was asked, without anything secret. */
  address: string;
  model?: string;
  /** The command or variable that gives this provider a working credential. */
  signIn: string;
  secrets: readonly string[];
}

export interface LibraryError {
  message?: string;
  /** The provider's own word for why it stopped. */
  stopReason?: string;
}

const TOO_LONG =
  /context[_ ](length|window)|maximum (context|prompt)|prompt (is )?too long|request_too_large|too many tokens|input (is )?too long|exceed(s|ed)? (the |model'?s? )*(maximum|available|token|context)|reduce the length|longer than the model|token limit exceeded|range of input length/i;
/** How each service says what the most would have been. */
const LARGEST = [
  /maximum (?:context|prompt) length (?:is|of) (\d[\d,]*)/i,
  /> (\d[\d,]*) maximum/i,
  /(?:available|model'?s?) context size \(?(\d[\d,]*)/i,
  /maximum number of tokens allowed \(?(\d[\d,]*)/i,
  /(\d[\d,]*) maximum context length/i,
  /context (?:length|window) of (?:only )?(\d[\d,]*)/i,
  /range of input length should be \[\d+, ?(\d[\d,]*)\]/i,
];
const OUT_OF_CREDIT =
  /insufficient_quota|insufficient balance|billing|credit balance|out of (credit|budget)|payment required|quota exceeded/i;
const NOT_ALLOWED = /content_filter|content_policy|invalid_prompt|safety|policy_violation|flagged|refusal|sensitive/i;
const STOPPED_BY_POLICY = /refusal|sensitive|content_filter/;
const RATE_LIMITED = /rate_?limit|usage_limit|too many requests|throttl/i;
const OVERLOADED = /overload|server_error|api_error|unavailable|internal|timeout|capacity|slow_down/i;
const BAD_KEY = /authentication|invalid_api_key|unauthorized|permission_error|token_expired|token_invalid/i;
const NO_TOOLS =
  /(does(n't| not)|do not|cannot|is not|isn't|not) [^.]{0,40}(support|enabled?)[^.]{0,60}\b(tools?\b|tool[ _-]?(use|call|choice)|functions?[ _-]?call)|\b(tools?|tool[ _-]?(use|calling)|function[ _-]?calling)\b[^.]{0,40}(is|are) not (supported|enabled|available)|tools? param requires --jinja|requires --enable-auto-tool-choice|no endpoints found that support tool use/i;
const NO_EFFORT =
  /(does(n't| not)|not) support[^.]{0,40}\b(thinking|reasoning)|(reasoning|reasoning_effort|thinking|think)\b[^.]{0,60}(not supported|unsupported|unknown|unrecognized|extra (inputs|fields)|not permitted)|(unsupported|unknown|unrecognized|unexpected)[^.]{0,40}(reasoning|thinking)/i;
const NO_PICTURES =
  /(does(n't| not)|do not|cannot|not) support[^.]{0,40}\b(images?|image[ _-]?(input|url)|vision|multi-?modal)\b|\bimage[ _-]?(input|url)?s?\b[^.]{0,40}((is|are) (not|only) (supported|enabled|available)|unsupported)|(unknown variant|unsupported content part type:?) ["'`\\]*image_url|no endpoints found that support image input|is not a multi-?modal model|at most 0 image/i;
const LONGEST_DETAIL = 300;

/** For a request that failed and was not cancelled. */
export function failureOf(seen: Seen, library: LibraryError, circumstances: Circumstances): ModelFailure {
  const failure = explain(seen, library, circumstances);
  const clean = (text: string): string => redact(text, circumstances.secrets);
  return {
    ...failure,
    message: clean(failure.message),
    ...(failure.brief !== undefined && { brief: clean(failure.brief) }),
  };
}

function explain(seen: Seen, library: LibraryError, circumstances: Circumstances): ModelFailure {
  const { provider, address } = circumstances;
  if (seen.refusal) {
    const { status, error, retryAfterMs } = seen.refusal;
    const lacks = lackedBy(status, error);
    return {
      ...describe(lacks ? 'refused' : codeOfStatus(status, error), {
        ...circumstances,
        error,
        what: `HTTP ${status}`,
        retryAfterMs,
        status,
      }),
      ...(lacks && { lacks }),
    };
  }
  if (seen.streamError) {
    const error = seen.streamError;
    return describe(codeOfError(error) ?? 'overloaded', { ...circumstances, error, what: 'an error in its answer' });
  }
  if (library.stopReason && STOPPED_BY_POLICY.test(library.stopReason)) {
    const error = { message: library.message };
    return describe('refused', { ...circumstances, error, what: library.stopReason });
  }
  if (seen.isEndless) {
    const advice = 'Word the question otherwise, or choose another model.';
    return {
      code: 'protocol',
      message: `${provider} did not stop answering, so its answer was ended. ${advice}`,
      isFinal: true,
    };
  }
  if (seen.malformed) {
    return {
      code: 'protocol',
      message: `${provider} could not be understood: ${seen.malformed}. ${checkAddress(address)}`,
    };
  }
  if (seen.broken !== undefined) {
    const brief = `The connection to ${address} failed (${reasonOf(seen.broken)})`;
    return { code: 'network', message: `${brief}. ${checkNetwork(seen.broken)}`, brief };
  }
  if (library.message && TOO_LONG.test(library.message)) {
    return describe('context_length', { ...circumstances, error: { message: library.message }, what: 'its answer' });
  }
  return {
    code: 'protocol',
    message: `The answer of ${provider} ended before it was complete${detail(library.message)}. Ask again.`,
  };
}

/** What the refusal says that the model cannot do. llama.cpp says it with 500. */
function lackedBy(status: number, error: ProviderError): ModelFailure['lacks'] {
  if (status !== 400 && status !== 404 && status !== 422 && status !== 500) return undefined;
  const told = words(error);
  if (NO_TOOLS.test(told)) return 'tools';
  if (NO_PICTURES.test(told)) return 'pictures';
  return NO_EFFORT.test(told) ? 'effort' : undefined;
}

function codeOfStatus(status: number, error: ProviderError): ModelFailureCode {
  const told = words(error);
  if (status === 401) return 'auth';
  if (status === 402 || OUT_OF_CREDIT.test(told)) return 'refused';
  if (status === 429) return 'rate_limit';
  if (status === 413 || TOO_LONG.test(told)) return 'context_length';
  if (status === 403) return NOT_ALLOWED.test(told) ? 'refused' : 'auth';
  if (status === 408 || status === 409 || status === 425) return 'network';
  if (status >= 500) return 'overloaded';
  return 'refused';
}

function codeOfError(error: ProviderError): ModelFailureCode | undefined {
  const told = words(error);
  const names = `${error.code ?? ''} ${error.type ?? ''}`;
  if (OUT_OF_CREDIT.test(told)) return 'refused';
  if (RATE_LIMITED.test(names)) return 'rate_limit';
  if (TOO_LONG.test(told)) return 'context_length';
  if (RATE_LIMITED.test(told)) return 'rate_limit';
  if (BAD_KEY.test(names)) return 'auth';
  if (OVERLOADED.test(names)) return 'overloaded';
  if (NOT_ALLOWED.test(names) || /invalid_request|not_found/.test(names)) return 'refused';
  return undefined;
}

function words({ code, type, message }: ProviderError): string {
  return [code, type, message].filter(Boolean).join(' ');
}

interface Description extends Circumstances {
  error: ProviderError;
  what: string;
  retryAfterMs?: number;
  status?: number;
}

function describe(code: ModelFailureCode, given: Description): ModelFailure {
  const { provider, what, error, retryAfterMs } = given;
  const told = detail(error.message ?? error.code ?? error.type);
  const text = sentence(code, given);
  const message = `${provider}: ${text} (${what}${told})`.trim();
  const contextWindow = code === 'context_length' ? largestIn(error.message ?? '') : undefined;
  if (contextWindow !== undefined) return { code, message, contextWindow };
  if (code !== 'rate_limit' && code !== 'overloaded') return { code, message };
  const [fact = text] = text.split('. ', 1);
  return {
    code,
    message,
    brief: `${provider}: ${fact} (${what})`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function largestIn(told: string): number | undefined {
  for (const pattern of LARGEST) {
    const tokens = Number(pattern.exec(told)?.[1]?.replaceAll(',', ''));
    if (tokens >= 256) return tokens;
  }
  return undefined;
}

function sentence(
  code: ModelFailureCode,
  { signIn, model, address, error, status, retryAfterMs }: Description,
): string {
  switch (code) {
    case 'auth':
      return `the credential was not accepted. To sign in: ${signIn}`;
    case 'rate_limit':
      return `too many requests, or the plan is used up. Wait${retryAfterMs === undefined ? '' : ` ${inWords(retryAfterMs)}`} and ask again, or choose another model`;
    case 'overloaded':
      return 'the service is overloaded or failing. Ask again in a while, or choose another model';
    case 'context_length':
      return `the conversation is longer than ${model ?? 'the model'} can take. Start a new session, or choose a model with a larger context`;
    case 'refused':
      if (status === 402 || OUT_OF_CREDIT.test(words(error)))
        return 'the account is out of credit. Add some, or choose another provider';
      if (status !== undefined && status >= 300 && status < 400)
        return `${address} redirects to another address, which is not followed. Set the right one`;
      if (status === 404)
        return `there is no ${model === undefined ? 'such model' : `model "${model}"`} at ${address}. "lainclaw models" lists what there is`;
      if (status !== undefined && !NOT_ALLOWED.test(words(error)))
        return 'the service did not accept the request; its own words follow. Check the model and the settings, or choose another model';
      return 'the request was refused. Word it otherwise, or choose another model';
    case 'network':
      return `${address} did not take the request in time. Ask again`;
    case 'protocol':
    case 'cancelled':
      return 'the answer was not complete. Ask again';
  }
}

function detail(text: string | undefined): string {
  if (!text) return '';
  const flat = text.replace(/\s+/g, ' ').trim();
  // A proxy's page says nothing to a person.
  if (flat === '' || flat.startsWith('<')) return '';
  return `: ${flat.length > LONGEST_DETAIL ? `${flat.slice(0, LONGEST_DETAIL)}…` : flat}`;
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } } | undefined)?.cause;
  return cause?.code ?? cause?.message ?? (error as Error | undefined)?.message ?? 'no reason given';
}

function checkNetwork(error: unknown): string {
  switch ((error as { cause?: { code?: string } } | undefined)?.cause?.code) {
    case 'ECONNREFUSED':
      return 'Is the server running, and is the address right?';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'Check the address and the network.';
    default:
      return 'Check the network and ask again.';
  }
}

function checkAddress(address: string): string {
  return `Check that ${address} is the right address, or ask again.`;
}
