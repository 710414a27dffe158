// An operation is something a person can do: a typed function with a schema for its input and its output, and a class that says
// what it may cost them. It renders nothing and knows no flags. Commands of the terminal, commands of chats, the HTTP API and
// the library are thin readers of operations.
import type { LoginInteraction } from '../adapters/auth/codex-login.ts';
import type { AskingChat } from '../gateway/chats/asking-chat.ts';
import type { ComparedTurn } from '../gateway/replay-against.ts';
import type { Answerer } from '../gateway/turns/answerer.ts';
import type { KeptMessages } from '../gateway/turns/kept-messages.ts';
import type { PlayedTurn } from '../pipeline/playback.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RuntimeWorkspace, WorkspaceOptions } from '../runtime/workspace.ts';
import type { JsonSchema } from '../tools/json-schema.ts';
import type { ArgsOf, ValueOf } from '../tools/schema-args.ts';
import { createValueCheck, type ValueProblem } from '../tools/validate.ts';

/** `read` changes nothing; `change` can be taken back or repeated; `danger` removes something for good, or admits somebody. */
export type OperationClass = 'read' | 'change' | 'danger';

export type OutputSchema = Readonly<Record<string, unknown>>;

export interface OperationContext {
  runtime: Runtime;
  signal: AbortSignal;
  /** Who does it, for what is recorded and for who may answer; the owner at the terminal by default. */
  by?: Answerer;
  /** The id of the browser's sign-in, where a browser of the console asks. */
  browser?: string;
  /** The folder whose files it concerns; by default the configured workspace. */
  workspace?: string;
  /** The chat that it is asked in. */
  chat?: AskingChat;
  /** The workspace that is open where it is asked. */
  opened?: RuntimeWorkspace;
  /** Something the person should know that changes nothing. */
  warn(text: string): void;
  /** Who answers questions of tools; without it, what has to be asked is refused. */
  person?: Pick<WorkspaceOptions, 'askPerson' | 'askForm'>;
  /** What a tool prints while it runs. */
  onOutput?(text: string): void;
  /** An address that the person must visit while the operation waits; without it, the address is a warning. */
  onAddress?(address: string): void;
  /** What the person sees and types while signing in; without it, the address or the code is a warning. */
  loginInteraction?: LoginInteraction;
  /** The next piece of a document, when it is there; then the output does not hold the document. */
  onPiece?(piece: string): void | Promise<void>;
  /** The next bytes of a file, when it is there; then the output does not hold the file. */
  onBytes?(bytes: Buffer): void | Promise<void>;
  /** A turn of a replay, when it is there; then the output does not hold the turns. */
  onPlayedTurn?(turn: PlayedTurn): void | Promise<void>;
  /** A turn that was asked again of another model, when it is there; then the output does not hold the turns. */
  onComparedTurn?(turn: ComparedTurn): void | Promise<void>;
  /** A file that a long operation has copied. */
  onFile?(file: { path: string; bytes: number }): void;
  /**
   * Takes what has to be done once the output has been shown, where a kill before that would leave the person in doubt; without
   * it, that is done before the operation resolves.
   */
  afterShown?(work: () => Promise<void>): void;
  /** The process ends with the operation: what others do in the background is done before. */
  isOneShot?: boolean;
  /** A session that a turn was started in has got a title. */
  onTitled?(sessionKey: string): void;
  /** Keeps messages to turns until they are part of the conversation; without it, who writes one waits. */
  kept?: Pick<KeptMessages, 'keep' | 'known' | 'withdraw'>;
  /** How far a long operation is; `total` is 0 while it is not known. */
  onProgress?(progress: { done: number; total: number; of?: 'bytes' }): void;
}

export interface Operation<Input = never, Output = unknown> {
  /** `<noun>.<verb>`, unique: `memory.search`. */
  name: string;
  class: OperationClass;
  /**
   * Whom it concerns besides the owner, who may then call it from a chat too (`may-call.ts` decides): everybody in the chat that asks,
   * or only the person who sends it.
   */
  concerns?: 'chat' | 'sender';
  /**
   * What of it a person of the console may call who is not the owner (`may-call.ts` decides): on the `session` that its input names,
   * when that is theirs; in the `scope` of memory that is theirs; or all of it, because it looks at `by` and shows only what is their `own`.
   */
  people?: 'session' | 'scope' | 'own';
  /** Of the input, what the audit log must not keep. */
  hides?: readonly string[];
  /** It keeps nothing itself: no home is made to record it. */
  keepsNothing?: true;
  /** One sentence: what it does. */
  summary: string;
  input: JsonSchema;
  output: OutputSchema;
  /** Why an input does not fit, or undefined. */
  inputProblem: ValueProblem;
  /** Rejects with an error whose `code` and message say what to do; then nothing was changed. */
  run(input: Input, context: OperationContext): Promise<Output>;
}

export interface OperationDefinition<Input extends JsonSchema, Output extends OutputSchema> {
  name: string;
  class: OperationClass;
  concerns?: Operation['concerns'];
  people?: Operation['people'];
  hides?: Operation['hides'];
  keepsNothing?: true;
  summary: string;
  input: Input;
  output: Output;
  run(input: ArgsOf<Input>, context: OperationContext): Promise<ValueOf<Output>>;
}

/** What a caller gives: the schema's defaults are filled in. */
export type InputOf<Schema extends JsonSchema> = Partial<ArgsOf<Schema>> & RequiredInput<Schema>;

type RequiredInput<Schema extends JsonSchema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Pick<ArgsOf<Schema>, Extract<Name, keyof ArgsOf<Schema>>>
  : unknown;

/** What an operation resolves with. */
export type OutputOf<Run extends { run(...given: never[]): Promise<unknown> }> = Awaited<ReturnType<Run['run']>>;

export function defineOperation<const Input extends JsonSchema, const Output extends OutputSchema>(
  definition: OperationDefinition<Input, Output>,
): Operation<InputOf<Input>, ValueOf<Output>> {
  const { run, ...rest } = definition;
  const defaults = Object.fromEntries(
    Object.entries(definition.input.properties)
      .filter(([, property]) => 'default' in property)
      .map(([name, property]) => [name, property.default]),
  );
  return {
    ...rest,
    inputProblem: createValueCheck(definition.input),
    async run(input, context) {
      const given = { ...defaults, ...withoutUndefined(input) } as ArgsOf<Input>;
      if (definition.class === 'read') return run(given, context);
      const { recordOperation } = await import('./record-operation.ts');
      return recordOperation(definition, given, context, () => run(given, context));
    },
  };
}

/** A flag that was not given must not hide a default. */
function withoutUndefined(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
