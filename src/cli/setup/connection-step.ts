// Choosing a model on a terminal: it is tried with a real request, and what is refused can be tried again.
import { PROVIDERS } from '../../adapters/providers/all.ts';
import type { OperationContext, OutputOf } from '../../operations/operation.ts';
import { tryModel } from '../../operations/setup.ts';
import { findReusable } from '../../operations/setup-reuse.ts';
import { signInToChatGpt } from '../../operations/sign-in.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { Terminal } from '../terminal.ts';
import type { Detected } from './given-connection.ts';
import type { SetupTexts } from './languages/setup-texts.ts';
import type { Connection } from './plan.ts';
import type { Prompts } from './prompts.ts';
import { nameOf, type Way, waysToConnect } from './ways-to-connect.ts';

export interface ConnectionStep {
  prompts: Prompts;
  context: OperationContext;
  terminal: Terminal;
  found: Detected;
  texts: SetupTexts;
  /** Told what was stored although set-up has not come to its end. */
  onStored(): void;
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

async function tryOnce({ prompts, context, texts }: ConnectionStep, connection: Connection): Promise<Outcome> {
  const { signal } = context;
  try {
    const tried = await prompts.working(texts.asking(nameOf(connection)), () => tryModel.run(connection, context));
    if (tried.warning !== undefined) prompts.warn(tried.warning);
    prompts.done(texts.answers(nameOf(tried)));
    return { ok: true, ...tried };
  } catch (error) {
    if (signal.aborted || !(error instanceof CodedError)) throw error;
    prompts.failed(explained(error, texts));
    return { ok: false, code: error.code };
  }
}

/** The sentence in the person's language, then what the service said. */
function explained({ code, message }: CodedError, { refused }: SetupTexts): string {
  const sentences: Readonly<Record<string, string>> = {
    AUTH_KEY_REFUSED: refused.key,
    AUTH_NOT_A_SERVICE: refused.address,
    AUTH_UNREACHABLE: refused.network,
    AUTH_MODEL_REFUSED: refused.model,
  };
  return [sentences[code], message].filter(Boolean).join('\n');
}

async function askForConnection(step: ConnectionStep): Promise<Connection | undefined> {
  const { prompts, found, texts } = step;
  const way = await prompts.choose<Way>(texts.whichModel, waysToConnect(found, texts));
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
      return (await signIn(step)) ?? askForConnection(step);
    case 'reuse':
      return (await askForProgram(step)) ?? askForConnection(step);
    case 'type-key':
      return askForKey(step);
    case 'address':
      return askForAddress(step);
    case 'none':
      return undefined;
  }
}

/** The sign-in is stored at once: a token that was handed out is not thrown away. Undefined where it did not work; that was said. */
async function signIn({
  prompts,
  terminal,
  context,
  texts,
  onStored,
}: ConnectionStep): Promise<Connection | undefined> {
  const { createLoginInteraction, hasBrowser } = await import('../login-interaction.ts');
  const method = hasBrowser(terminal.environment) ? 'browser' : 'device';
  const provider = 'openai-codex';
  const loginInteraction = createLoginInteraction(terminal);
  try {
    await signInToChatGpt.run({ provider, method }, { ...context, loginInteraction });
  } catch (error) {
    if (context.signal.aborted || !(error instanceof CodedError)) throw error;
    prompts.failed(explained(error, texts));
    return undefined;
  }
  onStored();
  return { provider, signedIn: true };
}

/** Undefined where there is nothing to use; that was said. */
async function askForProgram({ prompts, context, texts }: ConnectionStep): Promise<Connection | undefined> {
  const program = await prompts.choose(texts.whichProgram, [
    { value: 'codex' as const, label: 'Codex', hint: texts.codexHint },
    { value: 'claude' as const, label: 'Claude Code', hint: texts.claudeHint },
  ]);
  try {
    const { provider } = await findReusable.run({ program }, context);
    if (provider === 'openai-codex') prompts.note(texts.codexKept);
    return { provider, reuse: program };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    prompts.failed(error.code === 'AUTH_NOT_REUSABLE' ? texts.claudeRefused : error.message);
    return undefined;
  }
}

async function askForKey({ prompts, texts }: ConnectionStep): Promise<Connection> {
  const services = PROVIDERS.filter(({ signIn: how }) => how === 'api-key');
  const { name, label, keyPage } = await prompts.find(
    texts.whichService,
    services.map((row) => ({ value: row, label: row.label, hint: row.name })),
  );
  const key = await prompts.secret({ message: texts.keyOf(label, keyPage), problem: keyProblem(texts) });
  return { provider: name, key };
}

/** The address that other programs use is a suggestion only: a variable alone must not decide where a key is sent. */
async function askForAddress({ prompts, terminal, texts }: ConnectionStep): Promise<Connection> {
  const baseUrl = await prompts.text({
    message: texts.addressOf,
    initial: terminal.environment.variables.OPENAI_BASE_URL || 'http://127.0.0.1:8000/v1',
    problem: (text) => (/^https?:\/\/\S+$/.test(text) && URL.canParse(text) ? undefined : texts.notAnAddress),
  });
  const key = await prompts.secret({
    message: texts.keyOfAddress,
    problem: (text) => (text === '' ? undefined : keyProblem(texts)(text)),
  });
  return { provider: 'openai-compatible', baseUrl, ...(key !== '' && { key }) };
}

function keyProblem({ notAKey }: SetupTexts): (key: string) => string | undefined {
  return (key) => (/^[\x21-\x7e]+$/.test(key) ? undefined : notAKey);
}

async function askForModel(
  { prompts, texts }: ConnectionStep,
  models: readonly string[],
  present?: string,
): Promise<string> {
  if (models.length === 0)
    return prompts.text({ message: texts.nameModel, problem: (text) => (text === '' ? texts.nameOne : undefined) });
  return prompts.find(
    texts.findModel,
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
  const { prompts, context, texts } = step;
  const isTyped = connection.key !== undefined;
  const wantsKey = code === 'AUTH_KEY_REFUSED' && !connection.signedIn && connection.reuse === undefined;
  const keyLabel = isTyped ? texts.typeKeyAgain : texts.typeKey;
  const what = await prompts.choose<'again' | 'key' | 'model' | 'other'>(texts.whatNow, [
    ...(wantsKey || (isTyped && code !== 'AUTH_MODEL_REFUSED') ? [{ value: 'key' as const, label: keyLabel }] : []),
    ...(code === 'AUTH_MODEL_REFUSED' ? [{ value: 'model' as const, label: texts.chooseModel }] : []),
    { value: 'again', label: texts.tryAgain },
    { value: 'other', label: texts.chooseOther },
  ]);
  switch (what) {
    case 'again':
      return connection;
    case 'key':
      return {
        ...connection,
        key: await prompts.secret({ message: isTyped ? texts.keyAgain : texts.keyOnly, problem: keyProblem(texts) }),
      };
    case 'model': {
      const { models } = await context.runtime.modelServices();
      const known = (await models.known(connection.provider)).map(({ id }) => id);
      return { ...connection, model: await askForModel(step, known) };
    }
    case 'other':
      return undefined;
  }
}
