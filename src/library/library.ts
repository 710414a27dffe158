// `import { createRuntime, defineTool } from 'lainclaw'`: the runtime for programs. What is ambient is read here, as index.ts
// does for the command line; everything heavy is loaded by `createRuntime`.
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { readEnvironment } from '../config/environment.ts';
import type { PermissionQuestion as InnerQuestion } from '../tools/policy.ts';
import { ToolFailure as InnerToolFailure } from '../tools/tool.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { specsOf } from './defined-tool.ts';
import type {
  AskRequest,
  PermissionQuestion,
  Runtime,
  RuntimeOptions,
  ToolFailureClass,
  Workspace,
  WorkspaceOptions,
} from './surface.ts';
import { createTurn } from './turn.ts';

export { CodedError } from '../vocabulary/coded-error.ts';
export { defineTool } from './define-tool.ts';
export type * from './surface.ts';

declare const __VERSION__: string;

const MAX_STEPS = 25;
const COMMAND = join(import.meta.dirname, '..', 'bin', 'lainclaw.js');

export const ToolFailure: ToolFailureClass = InnerToolFailure;

/** Rejects when config.json, or a tool, cannot be used. Nothing is written before something is asked. */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { cwd, tools = [], onWarning = (text) => process.emitWarning(text, 'LainclawWarning') } = options;
  const variables = { ...(options.variables ?? process.env) };
  if (options.home !== undefined) variables.LAINCLAW_HOME = options.home;
  // Background runs are left to a process of the command, not to the program that uses the library.
  const program = [process.execPath, COMMAND];
  const environment = readEnvironment({ variables, cwd, program, version: __VERSION__ });
  const [specs, inner] = await Promise.all([specsOf(tools), import('../runtime/runtime.ts')]);
  const opening = inner.createRuntime({
    environment: { ...environment, variables: { ...variables, LAINCLAW_HOME: environment.home } },
    tools: specs,
    // The heap is the program's own affair.
    onLasting: () => {},
    warn: onWarning,
  });
  const runtime = await opening.catch(asCoded);

  const isOwn = (name: string): boolean => specs.some((spec) => spec.name === name);

  async function openWorkspace({ root, baseUrl, askPermission }: WorkspaceOptions = {}): Promise<Workspace> {
    const { askedCaps, askedProvider, turnSources } = await import('../runtime/asked-turn.ts');
    const workspace = await runtime.openWorkspace({
      root,
      baseUrl,
      warn: onWarning,
      ...(askPermission && {
        async askPerson(question, signal) {
          const answer = await askPermission(shownQuestion(question), signal);
          if (answer === 'no') return undefined;
          // permissions.json is read by processes that do not have the tool, and they refuse rules they cannot understand.
          return answer === 'always' && isOwn(question.call.name) ? 'session' : answer;
        },
      }),
    });
    // A name that is taken is reported here, not at the first question.
    const { ask } = await workspace.gateway();
    return {
      root: workspace.files.root,
      async ask(request) {
        const { signal = new AbortController().signal, ...given }: AskRequest =
          typeof request === 'string' ? { input: request } : request;
        const events = await ask(
          {
            ...(await askedProvider(given, turnSources(runtime, workspace))),
            input: given.input,
            attachments: given.attachments ?? [],
            sessionKey: given.sessionKey ?? 'main',
            newSession: given.newSession ?? false,
            effort: given.effort,
            instructions: given.instructions,
            memory: given.memory,
            withTools: given.withTools ?? true,
            toolAllow: given.toolAllow,
            toolMaxSteps: given.toolMaxSteps ?? MAX_STEPS,
            mode: given.mode ?? given.approval ?? 'ask',
            caps: askedCaps(given, runtime.config),
          },
          signal,
        );
        return createTurn(events);
      },
      close: workspace.close,
    };
  }

  return {
    home: environment.home,
    openWorkspace,
    async invoke(name, input = {}, { signal = new AbortController().signal, workspace, onProgress } = {}) {
      const [{ OPERATIONS }, { invokeOperation }] = await Promise.all([
        import('../operations/all.ts'),
        import('../operations/invoke.ts'),
      ]);
      const operation = OPERATIONS.find((each) => each.name === name);
      if (!operation) {
        const accepted = OPERATIONS.map((each) => each.name).join(', ');
        throw new CodedError('UNKNOWN_OPERATION', `there is no operation "${name}"; accepted: ${accepted}`);
      }
      const by = { place: 'program' } as const;
      return invokeOperation(operation, { ...input }, { runtime, signal, by, workspace, warn: onWarning, onProgress });
    },
    close: runtime.close,
  };
}

/** ConfigError lies below CodedError in the layers; users of the library need not know. */
function asCoded(error: unknown): never {
  if (error instanceof ConfigError) throw new CodedError(error.code, error.message, error);
  throw error;
}

function shownQuestion({ call, verdict, preview }: InnerQuestion): PermissionQuestion {
  return { call, reasons: verdict.reasons, ...(preview && { preview }) };
}
