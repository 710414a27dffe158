// Every operation over HTTP: POST /api/operations/<name>, the input as JSON.
import { OPERATIONS } from '../../operations/all.ts';
import { invokeOperation } from '../../operations/invoke.ts';
import { mayCall } from '../../operations/may-call.ts';
import type { Operation, OperationContext } from '../../operations/operation.ts';
import { startTurn } from '../../operations/start-turn.ts';
import type { ConsoleContext } from '../context.ts';
import { answererOf, callerOf, type Exchange, jsonBody, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';

const BY_NAME = new Map<string, Operation>(OPERATIONS.map((operation) => [operation.name, operation]));

export function operationRoutes(context: ConsoleContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/operations',
      admits: 'person',
      body: 'none',
      handle(exchange) {
        const by = answererOf(callerOf(exchange));
        sendJson(exchange, OPERATIONS.filter((operation) => mayCall(operation, by)).map(describe));
      },
    },
    {
      method: 'POST',
      path: '/api/operations/:name',
      admits: 'person',
      body: 'json',
      async handle(exchange) {
        const { name = '' } = exchange.params;
        const operation = BY_NAME.get(name);
        if (!operation)
          throw new Problem(
            404,
            'UNKNOWN_OPERATION',
            `there is no operation "${name}"`,
            'GET /api/operations lists them',
          );
        sendJson(exchange, await invoke(context, operation, await jsonBody(exchange), exchange));
      },
    },
    {
      method: 'POST',
      path: '/api/turns',
      admits: 'person',
      body: 'json',
      handle: async (exchange) =>
        sendJson(exchange, await invoke(context, startTurn, await jsonBody(exchange), exchange), 202),
    },
  ];
}

async function invoke(
  { runtime, workspaceFor, feed, isDraining, kept, limits, warn }: ConsoleContext,
  operation: Operation,
  input: Record<string, unknown>,
  exchange: Exchange,
): Promise<unknown> {
  const { id, isOwner, sessionId } = callerOf(exchange);
  const about = typeof input.name === 'string' ? { name: input.name } : {};
  if (operation === startTurn && isDraining())
    throw new Problem(503, 'GATEWAY_STOPPING', 'the gateway is stopping: ask again in a moment');
  const context: OperationContext = {
    runtime,
    signal: exchange.signal,
    by: answererOf(callerOf(exchange)),
    browser: sessionId,
    kept,
    onTitled: (session) => feed.publish(isOwner ? undefined : id, { type: 'changed', noun: 'sessions', session }),
    warn,
    ...(isOwner &&
      signingIn((step) => feed.publish(undefined, { type: 'sign-in', operation: operation.name, ...about, ...step }))),
  };
  // Only now a folder is opened: a session that somebody may not use must not have an effect by its name.
  const prepare = async (): Promise<OperationContext> => {
    const opened = await workspaceFor(typeof input.session === 'string' ? input.session : undefined);
    return { ...context, opened, workspace: opened.files.root };
  };
  const work = (): Promise<unknown> => invokeOperation(operation, input, context, { prepare });
  const output = await (isOwner ? work() : limits.run(id, operation.name, work));
  const [noun = ''] = operation.name.split('.');
  if (operation.class !== 'read' && noun !== 'turns')
    feed.publish(isOwner ? undefined : id, { type: 'changed', noun, operation: operation.name });
  return output;
}

/** What a person must visit or type while an operation waits for them goes to their browser. */
function signingIn(tell: (step: { address: string; code?: string }) => void): Partial<OperationContext> {
  const showUrl = (address: string): void => tell({ address });
  return {
    onAddress: showUrl,
    loginInteraction: {
      showUrl,
      showDeviceCode: ({ userCode, verificationUrl }) => tell({ address: verificationUrl, code: userCode }),
      readPastedCode: () => new Promise(() => {}),
      progress() {},
    },
  };
}

function describe({ name, class: kind, summary, input, output }: Operation) {
  return { name, class: kind, summary, input, output };
}
