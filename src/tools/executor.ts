// The executor, the only catch around a tool: look up → validate → authorise → reuse or run → bound.
// It stops at the first step that says no, and always returns a result: a ToolFailure speaks to the caller, anything
// else thrown is a defect (logged with its cause; the caller sees `execution_error`). Only cancellation is rethrown.
import { boundText } from './bound.ts';
import type { ReusedResults } from './cache.ts';
import type { Authorise } from './policy.ts';
import type { Registry } from './registry.ts';
import {
  type ToolCall,
  type ToolContext,
  type ToolError,
  ToolFailure,
  type ToolOutput,
  type ToolResult,
  type ToolSpec,
} from './tool.ts';
import type { Validate } from './validate.ts';

export interface Executed {
  result: ToolResult;
  /** What a model is told: bounded. */
  text: string;
}

export interface ExecutorOptions {
  registry: Registry;
  validate: Validate;
  authorise: Authorise;
  context: Omit<ToolContext, 'signal'>;
  reused: ReusedResults;
  /** Keeps the whole of a text that is cut for the model; returns where. */
  keepOutput(call: ToolCall, text: string): Promise<string>;
  onDefect(call: ToolCall, error: unknown): void;
}

export interface Executor {
  /** Rejects only when `signal` fires; the effect's outcome is then unknown to the caller. */
  execute(call: ToolCall, signal: AbortSignal): Promise<Executed>;
}

export function createExecutor(options: ExecutorOptions): Executor {
  const { context, keepOutput, onDefect } = options;
  return {
    async execute(call, signal) {
      signal.throwIfAborted();
      const started = performance.now();
      const outcome = await attempt(options, call, signal).catch((error: unknown): Outcome => {
        if (signal.aborted) throw error;
        if (error instanceof ToolFailure) return { ok: false, error: toolError(error) };
        onDefect(call, error);
        return { ok: false, error: { code: 'execution_error', message: `${call.name} failed: ${messageOf(error)}` } };
      });
      const durationMs = Math.round((performance.now() - started) * 10) / 10;
      if (!outcome.ok) {
        const text = await boundText(`Error (${outcome.error.code}): ${outcome.error.message}`, (whole) =>
          keepOutput(call, whole),
        );
        return { result: { ok: false, error: outcome.error, meta: { durationMs } }, text: text.text };
      }
      const { data, meta } = outcome.output;
      const bounded = await boundText(outcome.output.text ?? JSON.stringify(data), (whole) => keepOutput(call, whole));
      const result: ToolResult = { ok: true, data, meta: { ...meta, durationMs } };
      if (outcome.cached) result.meta.cached = true;
      if (bounded.fullOutputPath) result.meta.fullOutputPath = bounded.fullOutputPath;
      return { result, text: bounded.text };
    },
  };

  async function attempt(
    { registry, validate, authorise, reused }: ExecutorOptions,
    call: ToolCall,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const spec = registry.get(call.name);
    if (!spec) return { ok: false, error: { code: 'tool_not_found', message: `there is no tool "${call.name}" here` } };
    const problem = await validate(spec, call.args);
    if (problem) return { ok: false, error: { code: 'invalid_args', message: `${call.name}: ${problem}` } };
    const decision = await authorise(spec, call, signal);
    if (!decision.allowed)
      return { ok: false, error: { code: 'execution_error', message: decision.message, reason: 'denied' } };
    return withTimeout(spec, signal, async (limited) => {
      const full: ToolContext = { ...context, signal: limited };
      const reusable = await reused.find(spec, call.args, full);
      if (reusable.output) return { ok: true, output: reusable.output, cached: true };
      const output = await spec.execute(call.args, full);
      await reusable.keep(output);
      return { ok: true, output, cached: false };
    });
  }
}

type Outcome = { ok: true; output: ToolOutput; cached: boolean } | { ok: false; error: ToolError };

/** Ends at the tool's own timeout even when the tool ignores its signal. */
async function withTimeout<T>(
  spec: ToolSpec,
  signal: AbortSignal,
  run: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const timeout = setTimeout(() => {
    const failure = new ToolFailure(`${spec.name} took longer than ${spec.timeoutMs} ms and was stopped`, {
      reason: 'timeout',
    });
    timer.abort(failure);
    reject(failure);
  }, spec.timeoutMs);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(AbortSignal.any([signal, timer.signal])), ended]);
  } finally {
    clearTimeout(timeout);
    signal.removeEventListener('abort', onAbort);
  }
}

function toolError({ code, message, reason }: ToolFailure): ToolError {
  return reason ? { code, message, reason } : { code, message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
