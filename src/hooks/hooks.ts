// The owner's hooks. A hook can refuse a call and tell the model something; it can never permit what permission would ask for. One
// that fails before a call refuses it, because a guard that does not work must not let anything through; otherwise its failure is
// a notice.
import type { Hook, HookEvent, HookSettings } from '../config/hooks.ts';
import { runHook } from './run-hook.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const LONGEST_TOLD = 4_000;
const LONGEST_REASON = 500;

export interface HooksDependencies {
  settings: HookSettings;
  workspaceRoot: string;
  env: Readonly<Record<string, string | undefined>>;
}

export interface CallFacts {
  tool: string;
  args: unknown;
  sessionId?: string;
  turnId?: string;
}

export interface Hooks {
  /** Why the call is refused; undefined: no hook objects. */
  beforeTool(call: CallFacts, signal: AbortSignal): Promise<string | undefined>;
  /** What the model reads beside the result; empty when no hook says anything. */
  afterTool(call: CallFacts & { result: unknown }, signal: AbortSignal): Promise<string>;
  /** For `turn-end`, `session-start` and `notification`. Returns what went wrong, one line for each hook that failed. */
  tell(event: Exclude<HookEvent, 'before-tool' | 'after-tool'>, facts: object, signal: AbortSignal): Promise<string[]>;
}

export function createHooks({ settings, workspaceRoot, env }: HooksDependencies): Hooks {
  const run = (
    event: HookEvent,
    { command, timeoutMs = DEFAULT_TIMEOUT_MS }: Hook,
    facts: object,
    signal: AbortSignal,
  ) => runHook({ event, workspace: workspaceRoot, ...facts }, { command, cwd: workspaceRoot, env, timeoutMs, signal });
  const hooksFor = (event: HookEvent, tool: string): Hook[] =>
    (settings[event] ?? []).filter(({ tools }) => tools === undefined || tools.some((name) => isMeant(name, tool)));

  return {
    async beforeTool(call, signal) {
      for (const hook of hooksFor('before-tool', call.tool)) {
        const outcome = await run('before-tool', hook, call, signal);
        if (!outcome.ok) return `the hook "${shown(hook.command)}" failed, so nothing was run: ${outcome.problem}`;
        const { decision, reason } = outcome.answer;
        if (decision === 'deny')
          return `a hook refused it${typeof reason === 'string' && reason.trim() !== '' ? `: ${reason.slice(0, LONGEST_REASON)}` : ''}`;
        if (decision !== undefined && decision !== 'allow')
          return `the hook "${shown(hook.command)}" gave the decision ${JSON.stringify(decision)}; accepted: "deny", "allow" or none`;
      }
      return undefined;
    },
    async afterTool(call, signal) {
      const told: string[] = [];
      for (const hook of hooksFor('after-tool', call.tool)) {
        const outcome = await run('after-tool', hook, call, signal);
        if (!outcome.ok) told.push(`(the hook "${shown(hook.command)}" failed: ${outcome.problem})`);
        else if (typeof outcome.answer.tell === 'string') told.push(outcome.answer.tell.slice(0, LONGEST_TOLD));
      }
      return told.join('\n');
    },
    async tell(event, facts, signal) {
      const problems: string[] = [];
      for (const hook of settings[event] ?? []) {
        const outcome = await run(event, hook, facts, signal);
        if (!outcome.ok) problems.push(`the ${event} hook "${shown(hook.command)}" failed: ${outcome.problem}`);
      }
      return problems;
    },
  };
}

/** `file_*` means every tool whose name begins so. */
function isMeant(pattern: string, tool: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(tool);
}

function shown(command: string): string {
  return command.length > 60 ? `${command.slice(0, 60)}…` : command;
}
