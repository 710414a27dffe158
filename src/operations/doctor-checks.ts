// The checks of `doctor`, in the order in which they are shown.
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FoundServer } from '../adapters/local-servers.ts';
import { loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemTimezone } from '../runtime/system-timezone.ts';
import type { HomeReport } from '../storage/home-check.ts';
import { settingsFileChecks } from './doctor-settings.ts';
import { type Check, checkOf, type FixCode, messageOf, type Said, saidBy } from './doctor-texts.ts';
import type { OperationContext } from './operation.ts';
import { withWorkspace } from './with-workspace.ts';

export async function runChecks(context: OperationContext): Promise<Check[]> {
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
    ...(await settingsFileChecks(runtime, files)),
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
const COPY_MEMORY: Said<'command'> = ['command', { command: 'lainclaw store copy --from local --to postgres' }];
const SWITCH_ON: Said<'command'> = ['command', { command: 'lainclaw config set sandbox auto' }];

/** Every file and database of the home, and the age of the backup that would repair them. */
async function fileChecks({ runtime, signal }: OperationContext): Promise<Check[]> {
  const name = 'files';
  try {
    const report = await (await runtime.homeCheck()).check({ signal });
    const { findings, files } = report;
    const shown = findings
      .slice(0, SHOWN_FINDINGS)
      .map(({ path, problem: { code, values }, state, remedy }) =>
        checkOf(name, state, [`file.${code}`, { path, ...values }], [remedy]),
      );
    const count = findings.length - shown.length;
    if (count > 0) shown.push(checkOf(name, 'problem', ['more-files', { count }], ['restore']));
    const sound = findings.length > 0 ? [] : [checkOf(name, 'ok', ['files-sound', { files }])];
    return [...sound, ...shown, ...backupCheck(report, runtime)];
  } catch (error) {
    return [checkOf(name, 'problem', saidBy(error), ['follow-message'])];
  }
}

function backupCheck({ backup, files }: HomeReport, { environment, config }: Runtime): Check[] {
  const name = 'backup';
  if (files === 0 || config.backups === 0) return [];
  if (!backup) return [checkOf(name, 'advice', ['no-backup'], ['backup'])];
  const { createdAt } = backup;
  const isOld = environment.now() - Date.parse(createdAt) > OLD_BACKUP_MS;
  const newest: Said<'newest-backup'> = ['newest-backup', { createdAt }];
  return [isOld ? checkOf(name, 'advice', newest, ['backup']) : checkOf(name, 'ok', newest)];
}

/** The database, where `store` names one: the files of the home are not the records then. */
async function storeChecks({ config, store }: Runtime): Promise<Check[]> {
  if (config.store === undefined) return [];
  const name = 'store';
  try {
    const status = await (await store()).status();
    if (status.place === 'home') return [];
    const { address, tables, isReadOnly, memoryInHome } = status;
    const wrong = isReadOnly ? 'store-read-only' : tables === 'ready' ? undefined : 'store-tables';
    if (wrong !== undefined) return [checkOf(name, 'problem', [wrong, { address }], ['store-status'])];
    const advice = checkOf(name, 'advice', ['store-records', { address }], ['dump-database']);
    const left = checkOf(name, 'advice', ['store-memory', { texts: memoryInHome }], COPY_MEMORY);
    return [advice, ...(memoryInHome > 0 ? [left] : []), ...(await bucketChecks(store))];
  } catch (error) {
    return [checkOf(name, 'problem', saidBy(error), ['command', { command: 'lainclaw store status' }])];
  }
}

/** The bucket for larger files, where one is configured. */
async function bucketChecks(store: Runtime['store']): Promise<Check[]> {
  const name = 'bucket';
  try {
    const address = await (await store()).tryBucket();
    return address === undefined ? [] : [checkOf(name, 'ok', ['bucket', { address }])];
  } catch (error) {
    return [checkOf(name, 'problem', saidBy(error), ['follow-store-page'])];
  }
}

/** Only said where it is wrong. */
function timezoneCheck({ environment }: Runtime): Check[] {
  try {
    systemTimezone(environment.variables);
    return [];
  } catch (error) {
    return [checkOf('timezone', 'problem', saidBy(error), ['command', { command: 'unset TZ' }])];
  }
}

/** Reads config.json again: the runtime may have been opened without it. A variable comes before the file. */
async function configCheck({ environment }: Runtime): Promise<Check> {
  const name = 'config';
  try {
    const { provider, language } = await loadConfig(environment);
    return checkOf(name, 'ok', ['config', { provider, language }]);
  } catch (error) {
    const wrongFile = await loadConfig({ ...environment, variables: {} }).then(
      () => undefined,
      (found: unknown) => found,
    );
    return checkOf(name, 'problem', saidBy(error), configFix(wrongFile));
  }
}

/** `wrongFile`: why config.json cannot be used; undefined where a variable is wrong. */
function configFix(wrongFile: unknown): Said<FixCode> {
  if (wrongFile === undefined) return ['correct-variable'];
  const isNewer = wrongFile instanceof ConfigError && wrongFile.code === 'STORAGE_NEWER_VERSION';
  return isNewer ? ['upgrade'] : ['edit-file', { file: 'config.json' }];
}

/** Only where a model on this machine was chosen: without one memory works by words. */
async function memoryModelChecks(runtime: Runtime): Promise<Check[]> {
  const name = 'memory model';
  const models = await runtime.memoryModels();
  try {
    const chosen = await models.chosen();
    if (chosen === undefined || chosen === 'none' || chosen === 'endpoint') return [];
    const { dimension: dimensions } = (await models.get(chosen)).manifest;
    return [checkOf(name, 'ok', ['memory-model', { model: chosen, dimensions }])];
  } catch (error) {
    return [checkOf(name, 'problem', saidBy(error), ['memory-model'])];
  }
}

function nodeCheck(): Check {
  return checkOf('node', 'ok', ['node', { version: process.versions.node }]);
}

async function homeCheck({ environment: { home } }: Runtime): Promise<Check> {
  for (let path = home; ; path = dirname(path)) {
    try {
      await access(path, constants.W_OK | constants.X_OK);
      return checkOf('home', 'ok', [path === home ? 'home' : 'home-to-come', { home }]);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT' && path !== dirname(path);
      if (missing) continue;
      return checkOf('home', 'problem', ['home-closed', { path, detail: messageOf(error) }], ['other-home']);
    }
  }
}

async function sessionsCheck(runtime: Runtime): Promise<Check> {
  try {
    return checkOf('sessions', 'ok', ['sessions', { sessions: await runtime.sessions.count() }]);
  } catch (error) {
    return checkOf('sessions', 'problem', saidBy(error), ['follow-message']);
  }
}

async function workspaceCheck(runtime: Runtime): Promise<Check> {
  try {
    const { root, guarantee } = await withWorkspace(runtime, {}, async ({ files }) => files);
    if (guarantee === 'descriptor-walk') return checkOf('workspace', 'ok', ['workspace', { root }]);
    return checkOf('workspace', 'advice', ['workspace-by-path', { root }], ['mount-proc']);
  } catch (error) {
    return checkOf('workspace', 'problem', saidBy(error), ['other-workspace']);
  }
}

/** Only said where something was left: it was put back before this command did anything else. */
async function killedCommandsCheck(runtime: Runtime): Promise<Check[]> {
  const lines = await runtime.finishKilledCommands();
  return lines.map((detail) =>
    checkOf('killed commands', 'advice', ['killed-command', { detail }], ['killed-command']),
  );
}

async function sandboxCheck(runtime: Runtime): Promise<Check> {
  const name = 'sandbox';
  try {
    const sandbox = await runtime.sandbox();
    const { name: chosen, isolates, forwardsNetwork } = sandbox;
    if (isolates) {
      const state = await sandbox.available();
      const isUnlimited = state.ok && state.limits.processes === 'none';
      const network = forwardsNetwork ? 'hosts' : 'closed';
      return checkOf(name, 'ok', [`sandbox-${network}${isUnlimited ? '-unlimited' : ''}`, { sandbox: chosen }]);
    }
    const { because } = sandbox;
    if (!because) return checkOf(name, 'advice', ['sandbox-off'], SWITCH_ON);
    return checkOf(name, 'advice', ['sandbox-fails', { detail: because.reason }], ['sandbox', { detail: because.fix }]);
  } catch (error) {
    return checkOf(name, 'problem', saidBy(error), ['sandbox-setting']);
  }
}

async function modelChecks(context: OperationContext): Promise<Check[]> {
  try {
    return await signInChecks(context);
  } catch (error) {
    return [checkOf('sign-in', 'problem', saidBy(error), ['command', { command: 'lainclaw auth login openai-codex' }])];
  }
}

async function signInChecks({ runtime, signal }: OperationContext): Promise<Check[]> {
  const { auth, findLocalServers, names } = await runtime.modelServices();
  const providers = ['stub', ...names()];
  const [{ profiles, environment: keys }, servers] = await Promise.all([
    auth.status(),
    findLocalServers({ env: runtime.environment.variables, signal }),
  ]);
  const provider = await runtime.defaultProvider();
  const known = providers.includes(provider);
  const ids = profiles.map(({ profileId }) => profileId);
  const used = keys.filter((key) => key.provider === provider).map(({ variable }) => variable);
  const signedIn = [...ids, ...used];
  const checks: Check[] = [
    known
      ? checkOf('provider', 'ok', ['provider', { provider }])
      : checkOf(
          'provider',
          'problem',
          ['no-provider', { provider }],
          ['choose-provider', { providers: providers.join(', ') }],
        ),
    signedIn.length > 0
      ? checkOf('sign-in', 'ok', ['signed-in', { profiles: signedIn.join(', ') }])
      : checkOf('sign-in', 'advice', ['signed-out'], ['sign-in']),
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
  return [...unused].map(([variable, provider]) => {
    if (provider !== inUse) {
      const command = `lainclaw config set provider ${provider}`;
      return checkOf('key', 'advice', ['key-unused', { variable, provider: inUse }], ['command', { command }]);
    }
    const command = 'lainclaw config unset profile';
    return checkOf(
      'key',
      'advice',
      ['key-beside-profile', { variable, profile: profile ?? '' }],
      ['command', { command }],
    );
  });
}

function serverCheck({ provider: { name, label, local }, models }: FoundServer): Check {
  const [first] = models;
  if (!first)
    return checkOf(name, 'advice', ['server-without-model', { label }], ['command', { command: local.getModel }]);
  const command = `lainclaw ask --model ${name}/${first.id} "hello"`;
  return checkOf(name, 'ok', ['server', { label, models: models.map(({ id }) => id).join(', '), command }]);
}
