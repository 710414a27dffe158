// Who may run what. A tool that needs permission runs when a person says so: now (`ask`), beforehand (`auto`), or not
// at all (`never`). With nobody to ask, `ask` is a no: access never falls open.
import type { ToolCall, ToolSpec } from './tool.ts';

export const APPROVALS = ['ask', 'auto', 'never'] as const;
export type Approval = (typeof APPROVALS)[number];

export type Decision = { allowed: true } | { allowed: false; message: string };

/** Puts the question to a person; false is no. */
export type AskPerson = (question: { call: ToolCall; spec: ToolSpec }, signal: AbortSignal) => Promise<boolean>;

export type Authorise = (spec: ToolSpec, call: ToolCall, signal: AbortSignal) => Promise<Decision>;

export function createPolicy({ approval, askPerson }: { approval: Approval; askPerson?: AskPerson }): Authorise {
  return async (spec, call, signal) => {
    if (!spec.requiresPermission || approval === 'auto') return { allowed: true };
    if (approval === 'never')
      return { allowed: false, message: `${call.name} needs permission, and --approve=never refuses it` };
    if (!askPerson) {
      return {
        allowed: false,
        message: `${call.name} needs permission and nobody is there to give it: allow it with --approve=auto`,
      };
    }
    const yes = await askPerson({ call, spec }, signal);
    return yes ? { allowed: true } : { allowed: false, message: `${call.name} was not approved` };
  };
}
