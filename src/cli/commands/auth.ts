import { findProvider } from '../../adapters/providers/all.ts';
import type { OutputOf } from '../../operations/operation.ts';
import {
  type Connected,
  connectServer,
  listSignIns,
  signInToChatGpt,
  signInWithKey,
  signOut,
  useSignIn,
} from '../../operations/sign-in.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText, single, text, webAddress } from '../flags.ts';
import { operationContext, runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

interface LoginFlags extends OutputFlags {
  apiKeyStdin?: boolean;
  device?: boolean;
  profile?: string;
  baseUrl?: string;
  check?: boolean;
}

interface LogoutFlags extends OutputFlags {
  all?: boolean;
}

type SignIns = OutputOf<typeof listSignIns>;

export const configureAuth: ConfigureCommand = (auth, terminal) => {
  auth
    .command('login')
    .description('Sign in to a provider; it becomes the default when there is none')
    .argument('<provider>', 'openai-codex (ChatGPT), anthropic, gemini, ollama …: "lainclaw models" lists them')
    .option('--api-key-stdin', 'read an API key from standard input, unseen at a terminal')
    .option('--device', 'sign in with a code typed on another device')
    .addOption(single('--profile <id>', 'the name of the profile', text))
    .addOption(single('--base-url <url>', 'the address of the server, used from then on', webAddress))
    .option('--no-check', 'store a key without asking the service about it')
    .addOption(json())
    .addOption(plainText())
    .action((provider: string, flags: LoginFlags) => login(provider, flags, terminal));
  auth
    .command('status')
    .description('List who is signed in, without secrets')
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags) => status(flags, terminal));
  auth
    .command('use')
    .description('Make a profile the one that its provider uses')
    .argument('<profile>')
    .addOption(json())
    .addOption(plainText())
    .action((profile: string, flags: OutputFlags) =>
      runOperation(terminal, useSignIn, { profile }, (used) => {
        if (wantsJson(terminal, flags)) return writeJson(terminal, used);
        done(`using: ${used.profileId}`, terminal);
      }),
    );
  auth
    .command('logout')
    .description('Forget a profile, or all of them')
    .argument('[profile]')
    .option('--all', 'forget every profile')
    .addOption(json())
    .addOption(plainText())
    .action((profile: string | undefined, flags: LogoutFlags) => logout(profile, flags, terminal));
};

async function login(provider: string, flags: LoginFlags, terminal: Terminal): Promise<void> {
  const { profile, baseUrl, check = true } = flags;
  const row = findProvider(provider);
  if (flags.apiKeyStdin) {
    const { readSecret } = await import('../read-secret.ts');
    const key = await readSecret('API key', terminal);
    return runOperation(terminal, signInWithKey, { provider, key, baseUrl, profile, check }, (signedIn) =>
      tell(signedIn, flags, terminal),
    );
  }
  if (row && row.signIn !== 'chatgpt' && row.signIn !== 'api-key') {
    return runOperation(terminal, connectServer, { provider, baseUrl, profile, check }, (server) =>
      tell(server, flags, terminal),
    );
  }
  const { createLoginInteraction, hasBrowser } = await import('../login-interaction.ts');
  const method = flags.device || !hasBrowser(terminal.environment) ? 'device' : 'browser';
  const view = { loginInteraction: createLoginInteraction(terminal) };
  const input = { provider, method, profile } as const;
  await runOperation(terminal, signInToChatGpt, input, (signedIn) => tell(signedIn, flags, terminal), view);
}

function tell({ profile, warning, ...outcome }: Connected, flags: OutputFlags, terminal: Terminal): void {
  if (warning !== undefined) warn(terminal, warning);
  if (wantsJson(terminal, flags)) {
    writeJson(terminal, { ...profile, ...outcome });
    return;
  }
  done(`signed in: ${profile.profileId}`, terminal);
  const { provider } = profile;
  if (outcome.becameDefault) terminal.out.write(`  ${provider} answers from now on: lainclaw ask "hello"\n`);
  else if (outcome.defaultProvider !== provider)
    terminal.out.write(
      `  ${printable(outcome.defaultProvider)} stays the default; to change that: lainclaw config set provider ${provider}\n`,
    );
}

function done(line: string, terminal: Terminal): void {
  const { green } = colorsFor(terminal.out, terminal);
  terminal.out.write(`${green('✓')} ${printable(line)}\n`);
}

async function status(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listSignIns, {}, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    for (const line of statusLines(found)) terminal.out.write(`${printable(line)}\n`);
  });
}

function statusLines({ profiles, environment }: SignIns): string[] {
  const fromEnvironment = environment.map(({ provider, variable, key }) => `${provider}  ${variable} ${key}`);
  const stored = profiles.map((profile) => {
    const who = profile.email ?? profile.key ?? profile.accountId ?? profile.baseUrl ?? profile.borrowedFrom ?? '';
    const state = profile.expired ? 'expired, renewed at its next use' : '';
    return [profile.active ? '*' : ' ', profile.profileId, profile.kind, who, state].filter(Boolean).join('  ');
  });
  const lines = [...stored, ...fromEnvironment];
  return lines.length > 0 ? lines : ['nobody is signed in: lainclaw auth login openai-codex'];
}

async function logout(profile: string | undefined, flags: LogoutFlags, terminal: Terminal): Promise<void> {
  if (flags.all && profile !== undefined) throw new UsageError('logout takes a profile or --all, not both');
  await withRuntime(terminal, async (runtime) => {
    const context = operationContext(runtime, terminal);
    const which = flags.all ? undefined : (profile ?? onlyProfile(await listSignIns.run({}, context)));
    const { removed } = await signOut.run({ profile: which }, context);
    if (wantsJson(terminal, flags)) return writeJson(terminal, { removed });
    terminal.out.write(
      removed.length > 0 ? `forgot ${printable(removed.join(', '))}\n` : 'there was nothing to forget\n',
    );
  });
}

function onlyProfile({ profiles }: SignIns): string {
  const [only, ...others] = profiles.map(({ profileId }) => profileId);
  if (only !== undefined && others.length === 0) return only;
  const there = only === undefined ? 'there is none' : `there are ${[only, ...others].join(', ')}`;
  throw new UsageError(`logout needs the profile, or --all: ${there}`);
}
