// What a tool that starts turns gets when a person calls it by hand: the configured model, the person's mode, and a session
// id of its own in the place of a turn's.
import type { Mode } from '../config/mode.ts';
import { createDelegation } from '../pipeline/delegate.ts';
import { createUsageLedger } from '../pipeline/usage.ts';
import type { Delegation } from '../tools/delegation.ts';
import type { Registry } from '../tools/registry.ts';
import { createTaint } from '../tools/taint.ts';
import { askedCaps, askedProvider, turnSources } from './asked-turn.ts';
import type { Runtime } from './runtime.ts';
import type { RuntimeWorkspace } from './workspace.ts';

const MAX_STEPS = 25;

export interface CallByHand {
  registry: Registry;
  mode: Mode;
  /** Of the call. */
  id: string;
  /** The chat that the person names for answers. */
  chat?: string;
}

export async function delegationByHand(
  runtime: Runtime,
  workspace: RuntimeWorkspace,
  { registry, mode, id, chat }: CallByHand,
): Promise<Delegation> {
  const { config } = runtime;
  const { ask } = await workspace.gateway();
  const { provider, ...model } = await askedProvider({}, turnSources(runtime, workspace));
  return createDelegation({
    request: {
      ...model,
      mode,
      toolMaxSteps: MAX_STEPS,
      asker: { kind: 'owner', ...(chat !== undefined && { chat }) },
      caps: askedCaps({}, config),
    },
    sessionId: id,
    registry,
    taint: createTaint(),
    ledger: createUsageLedger(),
    provider,
    ask,
  });
}
