// Hooks: commands of the owner's that are run when something happens. They come from the home's config.json alone, so that no
// workspace can have a command run on the host.
import type { Kind } from './kinds.ts';

export const HOOK_EVENTS = ['before-tool', 'after-tool', 'turn-end', 'session-start', 'notification'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export interface Hook {
  /** Run by `/bin/sh -c` in the workspace, with what happened as JSON on its standard input. */
  command: string;
  /** Of `before-tool` and `after-tool`: only these tools; `*` means anything. */
  tools?: string[];
  timeoutMs?: number;
}

export type HookSettings = Partial<Record<HookEvent, Hook[]>>;

const LONGEST_COMMAND = 4_096;
const LONGEST_TIMEOUT_MS = 600_000;

export const hooks: Kind = {
  accepted: `an object of ${HOOK_EVENTS.join(', ')}, each a list of {"command", "tools"?, "timeoutMs"?}`,
  isAccepted: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([event, list]) =>
        HOOK_EVENTS.includes(event as HookEvent) &&
        Array.isArray(list) &&
        list.every((hook) => isHook(hook, event as HookEvent)),
    ),
  parse(written) {
    try {
      return JSON.parse(written);
    } catch {
      return written;
    }
  },
};

function isHook(value: unknown, event: HookEvent): value is Hook {
  if (!isObject(value)) return false;
  const { command, tools, timeoutMs, ...others } = value;
  const mayNameTools = event === 'before-tool' || event === 'after-tool';
  return (
    Object.keys(others).length === 0 &&
    typeof command === 'string' &&
    command.trim() !== '' &&
    command.length <= LONGEST_COMMAND &&
    (tools === undefined ||
      (mayNameTools && Array.isArray(tools) && tools.every((name) => typeof name === 'string'))) &&
    (timeoutMs === undefined ||
      (Number.isSafeInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= LONGEST_TIMEOUT_MS))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
