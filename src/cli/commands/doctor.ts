// Checks of the installation: what works, what does not, and the command that mends it.
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FoundServer } from '../../adapters/local-servers.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText } from '../flags.ts';
import { EXIT, type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';

export type CheckState = 'ok' | 'advice' | 'problem';

export interface Check {
  name: string;
  state: CheckState;
  message: string;
  /** What to do about it. */
  fix?: string;
}

export const configureDoctor: ConfigureCommand = (doctor, terminal, setExitCode) => {
  doctor
    .addOption(json())
    .addOption(plainText())
    .action(async (flags: OutputFlags) => setExitCode(await examine(flags, terminal)));
};

async function examine(flags: OutputFlags, terminal: Terminal): Promise<number> {
  const checks = await runChecks(terminal);
  const healthy = checks.every(({ state }) => state !== 'problem');
  if (wantsJson(terminal, flags)) writeJson(terminal, { healthy, checks });
  else for (const check of checks) show(check, terminal);
  return healthy ? EXIT.done : EXIT.failed;
}

async function runChecks(terminal: Terminal): Promise<Check[]> {
  const checks = [nodeCheck(), await homeCheck(terminal)];
  const { createRuntime } = await import('../../runtime/runtime.ts');
  let runtime: Runtime;
  try {
    runtime = await createRuntime({ environment: terminal.environment, warn: (line) => warn(terminal, line) });
  } catch (error) {
    return [
      ...checks,
      { name: 'config', state: 'problem', message: messageOf(error), fix: 'edit config.json in the home' },
    ];
  }
  try {
    checks.push({
      name: 'config',
      state: 'ok',
      message: `provider ${runtime.config.provider}, language ${runtime.config.language}`,
    });
    checks.push(
      await sessionsCheck(runtime),
      await workspaceCheck(runtime),
      await sandboxCheck(runtime),
      ...(await modelChecks(runtime, terminal)),
      ...(await memoryModelChecks(runtime)),
    );
    return checks;
  } finally {
    await runtime.close();
  }
}

/** Only where a model on this machine was chosen: without one memory works by words. */
async function memoryModelChecks(runtime: Runtime): Promise<Check[]> {
  const name = 'memory model';
  const models = await runtime.memoryModels();
  try {
    const chosen = await models.chosen();
    if (chosen === undefined || chosen === 'none' || chosen === 'endpoint') return [];
    const { dimension } = (await models.get(chosen)).manifest;
    return [{ name, state: 'ok', message: `${chosen}, ${dimension} dimensions` }];
  } catch (error) {
    const fix = 'lainclaw memory model use none, or add the model again';
    return [{ name, state: 'problem', message: messageOf(error), fix }];
  }
}

function nodeCheck(): Check {
  return { name: 'node', state: 'ok', message: `Node ${process.versions.node}` };
}

async function homeCheck({ environment: { home } }: Terminal): Promise<Check> {
  for (let path = home; ; path = dirname(path)) {
    try {
      await access(path, constants.W_OK | constants.X_OK);
      return { name: 'home', state: 'ok', message: path === home ? home : `${home} will be made by the first ask` };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT' && path !== dirname(path);
      if (missing) continue;
      const fix = 'set LAINCLAW_HOME to a directory you can write to';
      return { name: 'home', state: 'problem', message: `${path} cannot be written: ${messageOf(error)}`, fix };
    }
  }
}

async function sessionsCheck(runtime: Runtime): Promise<Check> {
  try {
    const count = await runtime.sessions.count();
    return { name: 'sessions', state: 'ok', message: `${count} session(s), the index is readable` };
  } catch (error) {
    return {
      name: 'sessions',
      state: 'problem',
      message: messageOf(error),
      fix: 'follow the message, then run this again',
    };
  }
}

async function workspaceCheck(runtime: Runtime): Promise<Check> {
  try {
    const { root, guarantee } = (await runtime.openWorkspace()).files;
    if (guarantee === 'descriptor-walk')
      return { name: 'workspace', state: 'ok', message: `${root}, confined by descriptors` };
    const message = `${root} is confined by checked paths only: /proc is not usable here`;
    return { name: 'workspace', state: 'advice', message, fix: 'mount /proc to have paths walked by descriptor' };
  } catch (error) {
    return {
      name: 'workspace',
      state: 'problem',
      message: messageOf(error),
      fix: 'set --workspace or LAINCLAW_WORKSPACE',
    };
  }
}

async function sandboxCheck(runtime: Runtime): Promise<Check> {
  const name = 'sandbox';
  try {
    const { name: chosen, isolates } = await runtime.sandbox();
    if (isolates)
      return { name, state: 'ok', message: `${chosen}: commands run without network, the system read-only` };
    const message = 'none: bash runs with your own rights after you approve, code_execute does not run';
    return { name, state: 'advice', message, fix: 'apt-get install bubblewrap' };
  } catch (error) {
    return { name, state: 'problem', message: messageOf(error), fix: 'change "sandbox" in config.json, or mend it' };
  }
}

async function modelChecks(runtime: Runtime, terminal: Terminal): Promise<Check[]> {
  try {
    return await signInChecks(runtime, terminal);
  } catch (error) {
    return [{ name: 'sign-in', state: 'problem', message: messageOf(error), fix: 'lainclaw auth login openai-codex' }];
  }
}

async function signInChecks(runtime: Runtime, { environment, signal }: Terminal): Promise<Check[]> {
  const { auth, findLocalServers, names } = await runtime.modelServices();
  const providers = ['stub', ...names()];
  const [{ profiles, environment: keys }, servers] = await Promise.all([
    auth.status(),
    findLocalServers({ env: environment.variables, signal }),
  ]);
  const fix = 'lainclaw auth login openai-codex, or lainclaw auth login <provider> --api-key-stdin';
  const provider = await runtime.defaultProvider();
  const known = providers.includes(provider);
  const ids = profiles.map(({ profileId }) => profileId);
  const used = keys.filter((key) => key.provider === provider).map(({ variable }) => variable);
  const signedIn = [...ids, ...used];
  const checks: Check[] = [
    known
      ? { name: 'provider', state: 'ok', message: provider }
      : {
          name: 'provider',
          state: 'problem',
          message: `there is no provider "${provider}"`,
          fix: `choose one of ${providers.join(', ')}`,
        },
    signedIn.length > 0
      ? { name: 'sign-in', state: 'ok', message: signedIn.join(', ') }
      : { name: 'sign-in', state: 'advice', message: 'nobody is signed in: only the offline stub answers', fix },
    ...unusedKeys(keys, provider),
  ];
  return [...checks, ...servers.map(serverCheck)];
}

/** One variable may serve several providers: it is used when one of them is. */
function unusedKeys(keys: readonly { provider: string; variable: string }[], inUse: string): Check[] {
  const used = new Set(keys.filter(({ provider }) => provider === inUse).map(({ variable }) => variable));
  const unused = new Map(
    keys
      .filter(({ variable }) => !used.has(variable))
      .toReversed()
      .map((key) => [key.variable, key.provider]),
  );
  return [...unused].map(([variable, provider]) => ({
    name: 'key',
    state: 'advice',
    message: `${variable} is in the environment, and ${inUse} answers: it is not used`,
    fix: `lainclaw config set provider ${provider}`,
  }));
}

function serverCheck({ provider: { name, label, local }, models }: FoundServer): Check {
  const [first] = models;
  if (!first) return { name, state: 'advice', message: `${label} is running, without a model`, fix: local.getModel };
  const command = `lainclaw ask --model ${name}/${first.id} "hello"`;
  return {
    name,
    state: 'ok',
    message: `${label} is running with ${models.map(({ id }) => id).join(', ')}: ${command}`,
  };
}

function show({ name, state, message, fix }: Check, terminal: Terminal): void {
  const { green, yellow, red, bold, dim } = colorsFor(terminal.out, terminal);
  const mark = { ok: green('✓'), advice: yellow('!'), problem: red('✗') }[state];
  terminal.out.write(`${mark} ${bold(name.padEnd(10))} ${printable(message)}\n`);
  if (fix && state !== 'ok') terminal.out.write(`  ${dim(`fix: ${printable(fix)}`)}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
