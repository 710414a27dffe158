// The way to write a tool: its schema is the type of its arguments. The executor validates the arguments before any function of
// the tool sees them, and the schema's defaults are filled in here.
import type { JsonSchema } from './json-schema.ts';
import type { ArgsOf } from './schema-args.ts';
import type { ToolSubject } from './subject.ts';
import type { ToolArgs, ToolContext, ToolOutput, ToolPreview, ToolSpec } from './tool.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

type Fixed =
  | 'name'
  | 'aliases'
  | 'description'
  | 'effect'
  | 'lasts'
  | 'alwaysAsks'
  | 'startsTurns'
  | 'onlyInForeground'
  | 'isFolded'
  | 'endsPlan'
  | 'handlesFiles'
  | 'rules'
  | 'unavailable';

/** See ToolSpec for what each of these means. */
export interface ToolDefinition<Schema extends JsonSchema> extends Pick<ToolSpec, Fixed> {
  schema: Schema;
  /** By default, whatever does more than read needs permission. */
  requiresPermission?: boolean;
  /** A minute by default. */
  timeoutMs?: number;
  subject(args: ArgsOf<Schema>): ToolSubject;
  isContained?(args: ArgsOf<Schema>, context: ToolContext): Promise<boolean>;
  timeoutOf?(args: ArgsOf<Schema>): number;
  fingerprint?(args: ArgsOf<Schema>, context: ToolContext): Promise<string | undefined>;
  preview?(args: ArgsOf<Schema>, context: ToolContext): Promise<ToolPreview>;
  execute(args: ArgsOf<Schema>, context: ToolContext): Promise<ToolOutput>;
}

export function defineTool<const Schema extends JsonSchema>(definition: ToolDefinition<Schema>): ToolSpec {
  const { schema, effect, subject, isContained, timeoutOf, fingerprint, preview, execute, ...rest } = definition;
  const defaults = defaultsOf(schema);
  // The one place where unknown arguments become typed ones: they were validated against this schema.
  const typed = (args: ToolArgs): ArgsOf<Schema> => ({ ...defaults, ...args }) as ArgsOf<Schema>;
  return {
    requiresPermission: effect !== 'read',
    timeoutMs: DEFAULT_TIMEOUT_MS,
    ...rest,
    effect,
    inputSchema: schema,
    subject: (args) => subject(typed(args)),
    ...(isContained && { isContained: (args, context) => isContained(typed(args), context) }),
    ...(timeoutOf && { timeoutOf: (args) => timeoutOf(typed(args)) }),
    ...(fingerprint && { fingerprint: (args, context) => fingerprint(typed(args), context) }),
    ...(preview && { preview: (args, context) => preview(typed(args), context) }),
    execute: (args, context) => execute(typed(args), context),
  };
}

function defaultsOf({ properties }: JsonSchema): ToolArgs {
  const given = Object.entries(properties).filter(([, property]) => 'default' in property);
  return Object.fromEntries(given.map(([name, property]) => [name, property.default]));
}
