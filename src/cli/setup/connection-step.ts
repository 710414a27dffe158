// Choosing a model on a terminal: it is tried with a real request, and what is refused can be tried again.
import { PROVIDERS } from '../../adapters/providers/all.ts';
import type { OperationContext, OutputOf } from '../../operations/operation.ts';
import { tryModel } from '../../operations/setup.ts';
import { signInToChatGpt } from '../../operations/sign-in.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { Terminal } from '../terminal.ts';
import type { Detected } from './given-connection.ts';
import type { Connection } from './plan.ts';
import type { Prompts } from './prompts.ts';
import { nameOf, type Way, waysToConnect } from './ways-to-connect.ts';

export interface ConnectionStep {
  prompts: Prompts;
  context: OperationContext;
  terminal: Terminal;
  found: Detected;
  /** Told what was stored although set-up has not come to its end. */
  onStored(what: string): void;
}

export interface TriedConnection {
  connection: Connection & { model: string };
  /** What else could be asked there. */
  models: readonly string[];
}

/** Undefined when the person wants none for now. `given`: what flags have said. */
export async function chooseConnection(
  step: ConnectionStep,
  given: Connection | undefined,
): Promise<TriedConnection | undefined> {
  let next = given;
  for (;;) {
    const connection = next ?? (await askForConnection(step));
    if (!connection) return undefined;
    const outcome = await tryOnce(step, connection);
    if (outcome.ok) return { connection: { ...connection, model: outcome.model }, models: outcome.models };
    next = await askAfterRefusal(step, connection, outcome.code);
  }
}

/** Asks for another model of a connection that works, and tries that. */
export async function changeModel(step: ConnectionStep, tried: TriedConnection): Promise<TriedConnection> {
  for (;;) {
    const model = await askForModel(step, tried.models, tried.connection.model);
    const outcome = await tryOnce(step, { ...tried.connection, model });
    if (outcome.ok) return { ...tried, connection: { ...tried.connection, model: outcome.model } };
  }
}

type Outcome = ({ ok: true } & OutputOf<typeof tryModel>) | { ok: false; code: string };

async function tryOnce({ prompts, context }: ConnectionStep, connection: Connection): Promise<Outcome> {
  const { signal } = context;
  try {
    const tried = await prompts.working(`Asking ${nameOf(connection)}`, () => tryModel.run(connection, context));
    if (tried.warning !== undefined) prompts.warn(tried.warning);
    prompts.done(`${nameOf(tried)} answers`);
    return { ok: true, ...tried };
  } catch (error) {
    if (signal.aborted || !(error instanceof CodedError)) throw error;
    prompts.failed(error.message);
    return { ok: false, code: error.code };
  }
}

async function askForConnection(step: ConnectionStep): Promise<Connection | undefined> {
  const { prompts, found } = step;
  const way = await prompts.choose<Way>('Which model shall answer?', waysToConnect(found));
  switch (way.kind) {
    case 'keep':
      return { ...found.present, signedIn: true };
    case 'found-key':
      return { provider: way.provider };
    case 'server': {
      const { provider, baseUrl, models } = way;
      const model = models.length > 1 ? await askForModel(step, models) : models[0];
      return { provider, baseUrl, ...(model !== undefined && { model }) };
    }
    case 'chatgpt':
      return signIn(step);
    case 'type-key':
      return askForKey(step);
    case 'address':
      return askForAddress(step);
    case 'none':
      return undefined;
  }
}

/** The sign-in is stored at once: a token that was handed out is not thrown away. */
async function signIn({ terminal, context, onStored }: ConnectionStep): Promise<Connection> {
  const { createLoginInteraction, hasBrowser } = await import('../login-interaction.ts');
  const method = hasBrowser(terminal.environment) ? 'browser' : 'device';
  const provider = 'openai-codex';
  const loginInteraction = createLoginInteraction(terminal);
  await signInToChatGpt.run({ provider, method }, { ...context, loginInteraction });
  onStored('the sign-in to ChatGPT');
  return { provider, signedIn: true };
}

async function askForKey({ prompts }: ConnectionStep): Promise<Connection> {
  const services = PROVIDERS.filter(({ signIn: how }) => how === 'api-key');
  const { name, label, keyPage } = await prompts.find(
    'Of which service? Type to search',
    services.map((row) => ({ value: row, label: row.label, hint: row.name })),
  );
  const page = keyPage === undefined ? '' : ` (keys are made at ${keyPage})`;
  return { provider: name, key: await prompts.secret({ message: `API key of ${label}${page}`, problem: keyProblem }) };
}

async function askForAddress({ prompts }: ConnectionStep): Promise<Connection> {
  const baseUrl = await prompts.text({
    message: 'Its address, up to /v1',
    initial: 'http://127.0.0.1:8000/v1',
    problem: (text) =>
      /^https?:\/\/\S+$/.test(text) && URL.canParse(text) ? undefined : 'Accepted: http:// or https://',
  });
  const key = await prompts.secret({
    message: 'Its API key; leave it empty where it wants none',
    problem: (text) => (text === '' ? undefined : keyProblem(text)),
  });
  return { provider: 'openai-compatible', baseUrl, ...(key !== '' && { key }) };
}

function keyProblem(key: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'That is not a key: it is empty, or holds spaces';
}

async function askForModel({ prompts }: ConnectionStep, models: readonly string[], present?: string): Promise<string> {
  if (models.length === 0)
    return prompts.text({ message: 'Which model?', problem: (text) => (text === '' ? 'Name one' : undefined) });
  return prompts.find(
    'Which model? Type to search',
    models.map((id) => ({ value: id, label: id })),
    present,
  );
}

/** Undefined goes back to the first question. */
async function askAfterRefusal(
  step: ConnectionStep,
  connection: Connection,
  code: string,
): Promise<Connection | undefined> {
  const { prompts, context } = step;
  const isTyped = connection.key !== undefined;
  const what = await prompts.choose<'again' | 'key' | 'model' | 'other'>('What now?', [
    ...(isTyped && code !== 'AUTH_MODEL_REFUSED' ? [{ value: 'key' as const, label: 'Type the key again' }] : []),
    ...(code === 'AUTH_MODEL_REFUSED' ? [{ value: 'model' as const, label: 'Choose another model' }] : []),
    { value: 'again', label: 'Try again' },
    { value: 'other', label: 'Choose something else' },
  ]);
  switch (what) {
    case 'again':
      return connection;
    case 'key':
      return { ...connection, key: await prompts.secret({ message: 'The key once more', problem: keyProblem }) };
    case 'model': {
      const { models } = await context.runtime.modelServices();
      const known = (await models.known(connection.provider)).map(({ id }) => id);
      return { ...connection, model: await askForModel(step, known) };
    }
    case 'other':
      return undefined;
  }
}
