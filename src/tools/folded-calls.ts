// Tools that a model sees by name only. It reads their schemas with `tool_search` and calls them through `tool_call`, so that the
// tools it was sent at first stay the same for the whole conversation. Everywhere but on the wire such a call is an ordinary one.
import type { RegisteredTool, Registry } from './registry.ts';
import type { ToolArgs } from './tool.ts';
import type { WireNames } from './wire-names.ts';

export const TOOL_SEARCH = 'tool_search';
export const TOOL_CALL = 'tool_call';

export interface WireCall {
  name: string;
  args: ToolArgs;
}

/** How the calls of one set of tools are written for a provider, and read. */
export interface WireCalls extends WireNames {
  callToWire(call: WireCall): WireCall;
  /** A call through `tool_call` that names no tool stays what it is: its arguments are then refused. */
  callFromWire(call: WireCall): WireCall;
}

/** Without both tools that unfold them, all are offered whole. */
export function foldedTools(registry: Registry): readonly RegisteredTool[] {
  if (!registry.get(TOOL_SEARCH) || !registry.get(TOOL_CALL)) return [];
  return registry.distinct().filter(({ spec }) => spec.isFolded);
}

export function createWireCalls(names: WireNames, folded: ReadonlySet<string>): WireCalls {
  return {
    fromWire: names.fromWire,
    toWire: (name) => (folded.has(name) ? TOOL_CALL : names.toWire(name)),
    callToWire: ({ name, args }) =>
      folded.has(name)
        ? { name: TOOL_CALL, args: { name: names.toWire(name), args } }
        : { name: names.toWire(name), args },
    callFromWire(call) {
      const meant = call.name === TOOL_CALL ? callWithin(call.args) : call;
      return meant ? { name: names.fromWire(meant.name), args: meant.args } : call;
    },
  };
}

function callWithin({ name, args = {} }: ToolArgs): WireCall | undefined {
  if (typeof name !== 'string' || name === '' || name === TOOL_CALL) return undefined;
  const given = typeof args === 'string' ? parsed(args) : args;
  return typeof given === 'object' && given !== null && !Array.isArray(given)
    ? { name, args: given as ToolArgs }
    : undefined;
}

/** Some models write nested arguments as a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
