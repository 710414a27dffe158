// Checks of the installation: what works, what does not, and the command that repairs it.

import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FoundServer } from '../adapters/local-servers.ts';
import { loadConfig } from '../config/config.ts';
import { counted } from '../lib/counted.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemTimezone } from '../runtime/system-timezone.ts';
import type { HomeReport, Remedy } from '../storage/home-check.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';
import { withWorkspace } from './with-workspace.ts';

export interface Check {
  name: string;
  /** `advice`: it works, and could work better. */
  state: 'ok' | 'advice' | 'problem';
  message: string;
  /** What to do about it. */
  fix?: string;
}

export const checkInstallation = defineOperation({
  name: 'doctor.check',
  class: 'read',
  summary: 'Check the installation: what works, what does not, and the command that repairs it.',
  input: NO_INPUT,
  output: objectWith({
    healthy: { ...YES_OR_NO, description: 'there is no problem; there may be advice' },
    checks: listOf(
      objectWith({ name: TEXT, state: { enum: ['ok', 'advice', 'problem'] }, message: TEXT }, { fix: TEXT }),
    ),
  }),
  async run(_input, context) {
    const checks = await runChecks(context);
    return { healthy: checks.every(({ state }) => state !== 'problem'), checks };
  },
});

export const repairInstallation = defineOperation({
  name: 'doctor.repair',
  class: 'danger',
  summary:
    'Repair damaged files of the home: from the automatic backup, from checksums, or by making them again; what is replaced is kept in a folder of its own.',
  input: NO_INPUT,
  output: objectWith({
    repaired: listOf(objectWith({ path: TEXT, done: TEXT, isRepaired: YES_OR_NO })),
    left: { ...listOf(objectWith({ path: TEXT, problem: TEXT })), description: 'what a second check still finds' },
    healthy: { ...YES_OR_NO, description: 'no file of the home is damaged any more' },
  }),
  async run(_input, { runtime, signal }) {
    const home = await runtime.homeCheck();
    const { findings } = await home.check({ signal });
    const wrong = findings.filter(
      ({ state, remedy }) => state === 'problem' || remedy === 'lines' || remedy === 'private',
    );
    const repaired = wrong.length > 0 ? await home.repair(wrong, { now: runtime.environment.now(), signal }) : [];
    const after = await home.check({ signal });
    const left = after.findings
      .filter(({ state }) => state === 'problem')
      .map(({ path, problem }) => ({ path, problem }));
    return { repaired: repaired.map((each) => ({ ...each })), left, healthy: left.length === 0 };
  },
});

async function runChecks(context: OperationContext): Promise<Check[]> {
  const { runtime } = context;
  const config = await configCheck(runtime);
  // Before anything is opened: opening a damaged index repairs it.
  const files = await fileChecks(context);
  const checks = [nodeCheck(), await homeCheck(runtime), ...timezoneCheck(runtime), config];
  // Without its settings a runtime has the defaults: what they would say is not what the person has.
  if (config.state === 'problem') return [...checks, ...files];
  return [
    ...checks,
    ...files,
    ...(await storeChecks(runtime)),
    await sessionsCheck(runtime),
    await workspaceCheck(runtime),
    ...(await killedCommandsCheck(runtime)),
    await sandboxCheck(runtime),
    ...(await modelChecks(context)),
    ...(await memoryModelChecks(runtime)),
  ];
}

const SHOWN_FINDINGS = 100;
const OLD_BACKUP_MS = 3 * 24 * 3_600_000;

/** Every file and database of the home, and the age of the backup that would repair them. */
async function fileChecks({ runtime, signal }: OperationContext): Promise<Check[]> {
  const name = 'files';
  try {
    const report = await (await runtime.homeCheck()).check({ signal });
    const { findings, files } = report;
    const shown = findings.slice(0, SHOWN_FINDINGS).map(
      ({ path, problem, state, remedy }): Check => ({
        name,
        state,
        message: `${path} ${problem}`,
        fix: REMEDIES[remedy],
      }),
    );
    const more = findings.length - shown.length;
    if (more > 0) shown.push({ name, state: 'problem', message: `and ${more} more`, fix: REMEDIES.restore });
    const sound: Check[] =
      findings.length > 0 ? [] : [{ name, state: 'ok', message: `${counted(files, 'file')}, none damaged` }];
    return [...sound, ...shown, ...backupCheck(report, runtime)];
  } catch (error) {
    return [{ name, state: 'problem', message: messageOf(error), fix: 'follow the message, then run this again' }];
  }
}

const REMEDIES: Record<Remedy, string> = {
  restore: 'lainclaw doctor --fix restores it from the automatic backup, or sets it aside where none has it',
  lines: 'lainclaw doctor --fix repairs it from its checksums and the automatic backup',
  'in-place': 'lainclaw doctor --fix makes its indexes again and takes the sound part of its log; its rows stay',
  rebuild: 'lainclaw doctor --fix makes it again from other files',
  'set-aside': 'lainclaw doctor --fix sets it aside',
  private: 'lainclaw doctor --fix makes it private to you',
  upgrade: 'upgrade lainclaw',
  look: 'look at it yourself; lainclaw restore <backup> --path <file> shows what a backup has',
};

function backupCheck({ backup, files }: HomeReport, { environment, config }: Runtime): Check[] {
  const name = 'backup';
  if (files === 0 || config.backups === 0) return [];
  const fix = 'lainclaw backup --automatic; the gateway does it every day';
  if (!backup) return [{ name, state: 'advice', message: 'there is no automatic backup', fix }];
  const age = environment.now() - Date.parse(backup.createdAt);
  const message = `the newest automatic backup is of ${backup.createdAt}`;
  return [age > OLD_BACKUP_MS ? { name, state: 'advice', message, fix } : { name, state: 'ok', message }];
}

/** The database, where `store` names one: the files of the home are not the records then. */
async function storeChecks({ config, store }: Runtime): Promise<Check[]> {
  if (config.store === undefined) return [];
  const name = 'store';
  try {
    const status = await (await store()).status();
    if (status.place === 'home') return [];
    const { address, tables, isReadOnly, memoryInHome } = status;
    const wrong = isReadOnly ? 'it is read-only' : tables === 'ready' ? undefined : 'its tables do not fit';
    if (wrong !== undefined)
      return [
        { name, state: 'problem', message: `${address}: ${wrong}`, fix: 'lainclaw store status says what to do' },
      ];
    const message = `the records are in ${address}: the checks and backups of files cover the home alone`;
    const advice: Check = { name, state: 'advice', message, fix: 'back the database up with pg_dump (docs/store.md)' };
    const left: Check = {
      name,
      state: 'advice',
      message: `the memory of this home (${counted(memoryInHome, 'text')}) is not in the database, where it is searched`,
      fix: 'lainclaw store copy --from local --to postgres',
    };
    return [advice, ...(memoryInHome > 0 ? [left] : []), ...(await bucketChecks(store))];
  } catch (error) {
    return [{ name, state: 'problem', message: messageOf(error), fix: 'lainclaw store status' }];
  }
}

/** The bucket for larger files, where one is configured. */
async function bucketChecks(store: Runtime['store']): Promise<Check[]> {
  const name = 'bucket';
  try {
    const address = await (await store()).tryBucket();
    return address === undefined
      ? []
      : [{ name, state: 'ok', message: `${address} stores, returns and removes objects` }];
  } catch (error) {
    return [{ name, state: 'problem', message: messageOf(error), fix: 'follow the message; "Files" in docs/store.md' }];
  }
}

/** Only said where it is wrong. */
function timezoneCheck({ environment }: Runtime): Check[] {
  try {
    systemTimezone(environment.variables);
    return [];
  } catch (error) {
    return [{ name: 'timezone', state: 'problem', message: messageOf(error), fix: 'unset TZ' }];
  }
}

/** Reads config.json again: the runtime may have been opened without it. */
async function configCheck({ environment }: Runtime): Promise<Check> {
  const name = 'config';
  try {
    const { provider, language } = await loadConfig(environment);
    return { name, state: 'ok', message: `provider ${provider}, language ${language}` };
  } catch (error) {
    return { name, state: 'problem', message: messageOf(error), fix: 'edit config.json in the home' };
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

async function homeCheck({ environment: { home } }: Runtime): Promise<Check> {
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
    const { root, guarantee } = await withWorkspace(runtime, {}, async ({ files }) => files);
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

/** Only said where something was left: it was put back before this command did anything else. */
async function killedCommandsCheck(runtime: Runtime): Promise<Check[]> {
  const name = 'killed commands';
  const fix =
    'nothing to do where it was put back or taken away; otherwise look at the file before you use git or an editor there';
  return (await runtime.finishKilledCommands()).map((message) => ({ name, state: 'advice', message, fix }));
}

async function sandboxCheck(runtime: Runtime): Promise<Check> {
  const name = 'sandbox';
  try {
    const sandbox = await runtime.sandbox();
    const { name: chosen, isolates, forwardsNetwork } = sandbox;
    if (isolates) {
      const network = forwardsNetwork ? 'reach only the hosts that you permit' : 'have no network';
      const state = await sandbox.available();
      const unlimited = state.ok && state.limits.processes === 'none' ? '; the number of processes is not limited' : '';
      return { name, state: 'ok', message: `${chosen}: commands ${network}, the system is read-only${unlimited}` };
    }
    const { because } = sandbox;
    const reason = because ? `bubblewrap does not work here (${because.reason})` : 'it is switched off';
    return {
      name,
      state: 'advice',
      message: `none, ${reason}: bash runs with your own rights after you approve, code_execute does not run`,
      fix: because?.fix ?? 'lainclaw config set sandbox auto',
    };
  } catch (error) {
    return { name, state: 'problem', message: messageOf(error), fix: 'change "sandbox" in config.json, or repair it' };
  }
}

async function modelChecks(context: OperationContext): Promise<Check[]> {
  try {
    return await signInChecks(context);
  } catch (error) {
    return [{ name: 'sign-in', state: 'problem', message: messageOf(error), fix: 'lainclaw auth login openai-codex' }];
  }
}

async function signInChecks({ runtime, signal }: OperationContext): Promise<Check[]> {
  const { auth, findLocalServers, names } = await runtime.modelServices();
  const providers = ['stub', ...names()];
  const [{ profiles, environment: keys }, servers] = await Promise.all([
    auth.status(),
    findLocalServers({ env: runtime.environment.variables, signal }),
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
    ...unusedKeys(keys, provider, runtime.config),
  ];
  return [...checks, ...servers.map(serverCheck)];
}

/**
 * One variable may serve several providers: it is used when one of them is, as the provider or as a fallback. A sign-in that is
 * named in config.json comes before the provider's key.
 */
function unusedKeys(
  keys: readonly { provider: string; variable: string }[],
  inUse: string,
  { fallback, profile }: Pick<Runtime['config'], 'fallback' | 'profile'>,
): Check[] {
  const asked = [...(profile === undefined ? [inUse] : []), ...fallback.map((entry) => entry.split('/')[0] ?? '')];
  const used = new Set(keys.filter(({ provider }) => asked.includes(provider)).map(({ variable }) => variable));
  const unused = new Map(
    keys
      .filter(({ variable }) => !used.has(variable))
      .toReversed()
      .map((key) => [key.variable, key.provider]),
  );
  return [...unused].map(([variable, provider]) => ({
    name: 'key',
    state: 'advice',
    message:
      provider === inUse
        ? `${variable} is in the environment, and the sign-in ${profile} is used instead`
        : `${variable} is in the environment, and ${inUse} answers: it is not used`,
    fix: provider === inUse ? 'lainclaw config unset profile' : `lainclaw config set provider ${provider}`,
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
