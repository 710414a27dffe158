import type { Auth, AuthStatus, ProfileStatus } from '../../adapters/auth/auth.ts';
import { colorsFor } from '../colors.ts';
import { json, plainText, single, text, webAddress } from '../flags.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

interface LoginFlags extends OutputFlags {
  apiKeyStdin?: boolean;
  device?: boolean;
  profile?: string;
  baseUrl?: string;
}

interface LogoutFlags extends OutputFlags {
  all?: boolean;
}

export const configureAuth: ConfigureCommand = (auth, terminal) => {
  const withAuth = (use: (auth: Auth) => Promise<void>): Promise<void> =>
    withRuntime(terminal, async (runtime) => use((await runtime.modelServices()).auth));
  auth
    .command('login')
    .description('sign in to a provider')
    .argument(
      '<provider>',
      'openai-codex (ChatGPT), openai, anthropic, gemini, openrouter, ollama …: "lainclaw models" lists them',
    )
    .option('--api-key-stdin', 'read an API key from standard input, unseen at a terminal')
    .option('--device', 'sign in with a code typed on another device')
    .addOption(single('--profile <id>', 'the name to keep it under', text))
    .addOption(single('--base-url <url>', 'the server the key belongs to (openai-compatible)', webAddress))
    .addOption(json())
    .addOption(plainText())
    .action((provider: string, flags: LoginFlags) => withAuth((service) => login(provider, service, flags, terminal)));
  auth
    .command('status')
    .description('who is signed in, without secrets')
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags) => withAuth((service) => status(service, flags, terminal)));
  auth
    .command('use')
    .description('make a profile the one its provider uses')
    .argument('<profile>')
    .addOption(json())
    .addOption(plainText())
    .action((profile: string, flags: OutputFlags) =>
      withAuth(async (service) => tell(await service.use(profile), 'using', flags, terminal)),
    );
  auth
    .command('logout')
    .description('forget a profile, or all of them')
    .argument('[profile]')
    .option('--all', 'forget every profile')
    .addOption(json())
    .addOption(plainText())
    .action((profile: string | undefined, flags: LogoutFlags) =>
      withAuth((service) => logout(profile, service, flags, terminal)),
    );
};

async function login(provider: string, auth: Auth, flags: LoginFlags, terminal: Terminal): Promise<void> {
  const { profile: profileId, baseUrl } = flags;
  if (flags.apiKeyStdin) {
    const { readSecret } = await import('../read-secret.ts');
    const key = await readSecret('API key', terminal);
    return tell(
      await auth.login({ provider, method: 'api-key', key, baseUrl, profileId }),
      'signed in',
      flags,
      terminal,
    );
  }
  const { createLoginInteraction, hasBrowser } = await import('../login-interaction.ts');
  const method = flags.device || !hasBrowser(terminal.environment) ? 'device' : 'browser';
  const interaction = createLoginInteraction(terminal);
  const signedIn = await auth.login({ provider, method, interaction, profileId, signal: terminal.signal });
  tell(signedIn, 'signed in', flags, terminal);
}

async function status(auth: Auth, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const found = await auth.status();
  if (wantsJson(terminal, flags)) return writeJson(terminal, found);
  for (const line of statusLines(found)) terminal.out.write(`${printable(line)}\n`);
}

function statusLines({ profiles, environment }: AuthStatus): string[] {
  const fromEnvironment = environment.map(({ provider, variable, key }) => `${provider}  ${variable} ${key}`);
  const stored = profiles.map((profile) => {
    const who = profile.email ?? profile.key ?? profile.accountId ?? '';
    const state = profile.expired ? 'expired, renewed at its next use' : '';
    return [profile.active ? '*' : ' ', profile.profileId, profile.kind, who, state].filter(Boolean).join('  ');
  });
  const lines = [...stored, ...fromEnvironment];
  return lines.length > 0 ? lines : ['nobody is signed in: lainclaw auth login openai-codex'];
}

async function logout(profile: string | undefined, auth: Auth, flags: LogoutFlags, terminal: Terminal): Promise<void> {
  if (flags.all && profile !== undefined) throw new UsageError('logout takes a profile or --all, not both');
  const removed = await auth.logout(flags.all ? { all: true } : (profile ?? (await onlyProfile(auth))));
  if (wantsJson(terminal, flags)) return writeJson(terminal, { removed });
  terminal.out.write(
    removed.length > 0 ? `forgot ${printable(removed.join(', '))}\n` : 'there was nothing to forget\n',
  );
}

async function onlyProfile(auth: Auth): Promise<string> {
  const { profiles } = await auth.status();
  const [only, ...others] = profiles.map(({ profileId }) => profileId);
  if (only !== undefined && others.length === 0) return only;
  const there = only === undefined ? 'there is none' : `there are ${[only, ...others].join(', ')}`;
  throw new UsageError(`logout needs the profile, or --all: ${there}`);
}

function tell(profile: ProfileStatus, verb: string, flags: OutputFlags, terminal: Terminal): void {
  if (wantsJson(terminal, flags)) {
    writeJson(terminal, profile);
    return;
  }
  const { green } = colorsFor(terminal.out, terminal);
  terminal.out.write(`${green('✓')} ${verb}: ${printable(profile.profileId)}\n`);
}
