// The executor, the only catch around a tool: look up → validate → authorise → record → reuse or run → bound.
// It stops at the first step that says no, and always returns a result: the caller sees a ToolFailure, anything
// else thrown is a defect (logged with its cause; the caller sees `execution_error`). Only cancellation is rethrown.
import { joinSignals } from '../lib/joined-signal.ts';
import { StorageError } from '../storage/storage.ts';
import { reasonText } from '../vocabulary/reasons.ts';
import { type TaintSource, taintSource } from '../vocabulary/taint-source.ts';
import { boundText } from './bound.ts';
import type { ReusedResults } from './cache.ts';
import type { CallAudit } from './call-audit.ts';
import { createLater, type Later } from './later.ts';
import { boundPictures } from './pictures.ts';
import type { Authorise, Decision } from './policy.ts';
import type { Registry } from './registry.ts';
import type { BeforeChange } from './shell/nearby-processes.ts';
import { pathsOf } from './subject.ts';
import type { RememberWrites } from './tainted-content/remember-writes.ts';
import {
  type ToolArgs,
  type ToolCall,
  type ToolContext,
  type ToolError,
  ToolFailure,
  type ToolMeta,
  type ToolOutput,
  type ToolResult,
  type ToolSpec,
} from './tool.ts';
import type { Validate } from './validate.ts';

/** How long a tool may take to clean up after it was stopped. */
const GRACE_MS = 2_000;

export interface Executed {
  result: ToolResult;
  /** What a model sees: bounded. */
  text: string;
}

/** See Hooks. */
export interface ExecutorHooks {
  /** Why the call is refused; undefined: nothing objects. */
  before(call: ToolCall, signal: AbortSignal): Promise<string | undefined>;
  /** What the model sees beside the result. */
  after(
    call: ToolCall,
    outcome: { ok: boolean; data?: unknown; error?: ToolError },
    signal: AbortSignal,
  ): Promise<string>;
}

/** The turn was cancelled before the call began: it has done nothing. */
export class NotStarted extends Error {
  constructor(cause: unknown) {
    super('cancelled before it started', { cause });
  }
}

export interface ExecutorOptions {
  registry: Registry;
  validate: Validate;
  authorise: Authorise;
  context: Omit<ToolContext, 'signal' | 'progress' | 'spoolPath' | 'keptPath' | 'afterwards'>;
  /** Takes what calls leave behind, and is waited for before the next one; without it a result waits. */
  later?: Later;
  reused: ReusedResults;
  /** Records each call before it runs and after. */
  audit: CallAudit;
  /** Keeps the whole of a text that is cut for the model; returns where. */
  keepOutput(call: ToolCall, text: string): Promise<string>;
  /** Where a tool may put what is too much to keep in memory. */
  spoolPath(call: ToolCall): Promise<string>;
  /** Where a picture of a result, or a file that a call leaves, is kept. */
  keptPath(call: ToolCall, name: string): Promise<string>;
  /** Makes files that a call has left readable on other machines. */
  shareKept?(paths: readonly string[]): Promise<void>;
  /** What must have happened before a call is judged. */
  prepare?(signal: AbortSignal): Promise<void>;
  onDefect(call: ToolCall, error: unknown): void;
  /** The owner's hooks around each call. */
  hooks?: ExecutorHooks;
  /** Where the content from outside came from that is in the turn. */
  taintSources?(): readonly TaintSource[];
  /** Remembers what a call writes of content from outside. */
  rememberWrites?: RememberWrites;
  /** Has commands in the background guarded before a call that changes files; absent where none can run. */
  beforeChange?: BeforeChange;
  /** Called when a result holds content from outside, with where that came from. */
  onTainted?(sources: readonly TaintSource[]): void;
}

export interface Executor {
  /**
   * Rejects only when `signal` fires; the effect's outcome is then unknown to the caller, unless it is NotStarted. Nothing runs before `mayRun`
   * has resolved, and nothing at all when it rejects.
   */
  execute(
    call: ToolCall,
    signal: AbortSignal,
    progress?: (text: string) => void,
    mayRun?: Promise<void>,
  ): Promise<Executed>;
}

export function createExecutor(options: ExecutorOptions): Executor {
  const { context, keepOutput, spoolPath, keptPath, onDefect, audit } = options;
  return {
    async execute(call, signal, progress = () => {}, mayRun = undefined) {
      const left = options.later ?? createLater();
      await left.done();
      if (signal.aborted) throw new NotStarted(signal.reason);
      const started = performance.now();
      const brought: Attempt['brought'] = { taintedBy: [], askedMs: 0, hasRun: false, wasAsked: false, kept: [] };
      const outcome = await attempt(options, call, { signal, progress, brought, left, mayRun }).catch(
        (error: unknown): Outcome => {
          if (signal.aborted && brought.hasRun) audit.ended(call, 'cancelled');
          if (signal.aborted) throw brought.hasRun ? error : new NotStarted(error);
          if (error instanceof ToolFailure) return { ok: false, error: toolError(error), output: error.output };
          if (!isExplained(error)) onDefect(call, error);
          return { ok: false, error: { code: 'execution_error', message: `${call.name} failed: ${messageOf(error)}` } };
        },
      );
      if (brought.hasRun) audit.ended(call, outcome.ok ? undefined : outcome.error.message);
      else if (!outcome.ok) {
        const { message } = outcome.error;
        audit.refused(options.registry.get(call.name), call, { message, wasAsked: brought.wasAsked });
      }
      if (!options.later) await left.done();
      const durationMs = Math.round((performance.now() - started - brought.askedMs) * 10) / 10;
      const { kept, lines } = await boundPictures(outcome.output?.pictures ?? [], (name) => keptPath(call, name));
      brought.kept.push(...kept.map(({ path }) => path));
      const bounded = await boundText(textOf(outcome), (whole) => keepOutput(call, whole));
      const { fullOutputPath } = bounded;
      const { fullOutputPath: spooled } = outcome.output?.meta ?? {};
      const files = typeof spooled === 'string' ? [...brought.kept, spooled] : brought.kept;
      if (files.length > 0) await options.shareKept?.(files);
      const told = brought.hasRun ? await options.hooks?.after(call, shownTo(outcome), signal) : undefined;
      const text = [bounded.text, ...lines, told ?? ''].filter((line) => line !== '').join('\n');
      const meta: ToolMeta = { ...outcome.output?.meta, durationMs };
      // Also for a call that failed: its error quotes pieces of the file.
      if (brought.taintedBy.length > 0) meta.tainted = true;
      if (meta.tainted) {
        const named = [...brought.taintedBy, ...(meta.taintedBy ?? [])];
        meta.taintedBy = named.length > 0 ? named : [taintSource('tool', call.name)];
        options.onTainted?.(meta.taintedBy);
      }
      if (outcome.ok && outcome.cached) meta.cached = true;
      if (fullOutputPath) meta.fullOutputPath = fullOutputPath;
      const pictures = kept.length > 0 && { pictures: kept };
      if (outcome.ok) return { result: { ok: true, data: outcome.output.data, meta, ...pictures }, text };
      const { error, output } = outcome;
      return { result: { ok: false, error, ...(output && { data: output.data }), meta, ...pictures }, text };
    },
  };

  async function attempt(
    { registry, validate, authorise, reused }: ExecutorOptions,
    call: ToolCall,
    { signal, progress, brought, left, mayRun }: Attempt,
  ): Promise<Outcome> {
    const spec = registry.get(call.name);
    if (!spec)
      return { ok: false, error: { code: 'tool_not_found', message: reasonText('no-tool', { tool: call.name }) } };
    await options.prepare?.(signal);
    const problem = await validate(spec, call.args);
    if (problem) return { ok: false, error: { code: 'invalid_args', message: `${call.name}: ${problem}` } };
    const asking: ToolContext = {
      ...context,
      signal,
      progress,
      spoolPath: () => spoolPath(call),
      async keptPath(name) {
        const path = await keptPath(call, name);
        brought.kept.push(path);
        return path;
      },
      afterwards: left.add,
    };
    const askedAt = performance.now();
    const objection = await options.hooks?.before(call, signal);
    if (objection !== undefined)
      return { ok: false, error: { code: 'execution_error', message: objection, reason: 'denied' } };
    const decision = await authorise(spec, call, asking);
    brought.askedMs = performance.now() - askedAt;
    brought.wasAsked = !decision.allowed && decision.wasAsked === true;
    if (!decision.allowed)
      return { ok: false, error: { code: 'execution_error', message: decision.message, reason: 'denied' } };
    await mayRun;
    // Asking takes a person's time: what was cancelled meanwhile must not run.
    signal.throwIfAborted();
    await audit.allowed(spec, call, decision);
    return withTimeout(spec, call, signal, async (limited) => {
      const { onlyReads, hides, network, taintedBy = [], approvedPaths = [] } = decision;
      brought.taintedBy = taintedBy;
      brought.hasRun = true;
      const sources = [...new Set([...(options.taintSources?.() ?? []), ...brought.taintedBy])];
      const { changes } = context;
      const writes = await options.rememberWrites?.({ changes, spec, args: call.args, decision, sources });
      const { changes: remembered = changes, rememberFetched } = writes ?? {};
      const writing = { changes: remembered, approvedPaths, rememberFetched };
      const guarded =
        !onlyReads && changesFiles(spec, call.args)
          ? await options.beforeChange?.({ ...writing, sources: isSeen(decision, spec, call.args) ? [] : sources })
          : undefined;
      const full: ToolContext = {
        ...asking,
        signal: limited,
        ...(onlyReads && { onlyReads }),
        ...(hides && { hides }),
        ...(network && { network }),
        ...(sources.length > 0 && { tainted: { sources } }),
        ...(approvedPaths.length > 0 && { approvedPaths }),
        changes: guarded?.changes ?? remembered,
        ...(rememberFetched && { rememberFetched }),
      };
      const reusable = await reused.find(spec, call.args, full);
      if (reusable.output) return { ok: true, output: reusable.output, cached: true };
      const output = await spec
        .execute(call.args, full)
        .finally(() => guarded?.end())
        .finally(() => writes?.end());
      // Data is JSON by contract: a tool that breaks it has a defect, found here and not where the result is printed.
      const json = JSON.stringify(output.data) ?? 'null';
      const told: ToolOutput = { ...output, text: output.text ?? json };
      // What is reused is kept as JSON, which must not hold megabytes.
      if (!told.pictures?.some((picture) => 'data' in picture)) await reusable.keep(told);
      return { ok: true, output: told, cached: false };
    });
  }
}

interface Attempt {
  signal: AbortSignal;
  progress(text: string): void;
  left: Later;
  mayRun: Promise<void> | undefined;
  /** Called as soon as it is known, because the attempt may end with an error. */
  brought: {
    taintedBy: readonly TaintSource[];
    /** How long permission took: no time of the tool's. */
    askedMs: number;
    hasRun: boolean;
    /** A person said no. */
    wasAsked: boolean;
    /** Paths that the tool asked for. */
    kept: string[];
  };
}

type Outcome = { ok: true; output: ToolOutput; cached: boolean } | { ok: false; error: ToolError; output?: ToolOutput };

/** A person has seen what would be written, and approved it. */
function isSeen({ answer }: Decision & { allowed: true }, { subject }: ToolSpec, args: ToolArgs): boolean {
  return answer !== undefined && pathsOf(subject(args)).length > 0;
}

/** A tool that names neither a command nor a path changes no file of the workspace. */
function changesFiles({ effect, subject }: ToolSpec, args: ToolArgs): boolean {
  const { kind } = subject(args);
  return effect !== 'read' && (kind === 'command' || kind === 'path' || kind === 'paths');
}

function shownTo(outcome: Outcome): { ok: boolean; data?: unknown; error?: ToolError } {
  if (outcome.ok) return { ok: true, data: outcome.output.data };
  return { ok: false, error: outcome.error, ...(outcome.output && { data: outcome.output.data }) };
}

function textOf(outcome: Outcome): string {
  const told = outcome.output && (outcome.output.text ?? JSON.stringify(outcome.output.data));
  if (outcome.ok) return told ?? '';
  const failure = `Error (${outcome.error.code}): ${outcome.error.message}`;
  return told === undefined ? failure : `${failure}\n${told}`;
}

/** Ends at the tool's timeout or when the turn is cancelled, soon after even when the tool ignores its signal. */
async function withTimeout<T>(
  spec: ToolSpec,
  call: ToolCall,
  signal: AbortSignal,
  run: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeoutMs = spec.timeoutOf?.(call.args) ?? spec.timeoutMs;
  const late = new ToolFailure(`${call.name} took longer than ${timeoutMs} ms and was stopped`, { reason: 'timeout' });
  const joined = joinSignals(signal);
  const { signal: limited } = joined;
  const timeout = setTimeout(() => joined.abort(late), timeoutMs);
  const { promise: ignored, reject } = Promise.withResolvers<never>();
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    grace = setTimeout(() => reject(limited.reason), GRACE_MS);
  };
  limited.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(limited), ignored]);
  } catch (error) {
    // Whatever the tool says while it is being stopped, the reason is that it was stopped.
    throw limited.aborted && !(error instanceof ToolFailure) ? limited.reason : error;
  } finally {
    clearTimeout(timeout);
    clearTimeout(grace);
    limited.removeEventListener('abort', onAbort);
    joined.release();
  }
}

function toolError({ code, message, reason }: ToolFailure): ToolError {
  return reason ? { code, message, reason } : { code, message };
}

/** A full disk and the like is not a defect of the tool: its message says what to do. */
function isExplained(error: unknown): boolean {
  return error instanceof StorageError && error.code !== 'STORAGE_FAILED';
}

function messageOf(error: unknown): string {
  return error instanceof Error
    ? error.message
    : typeof error === 'string'
      ? error
      : 'it threw something that is not an error';
}
