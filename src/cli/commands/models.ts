import type { ModelInfo, ModelList } from '../../adapters/models.ts';
import { findProvider } from '../../adapters/providers/all.ts';
import { loginCommand } from '../../adapters/providers/provider.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText, single, webAddress } from '../flags.ts';
import { EXIT, type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

interface ModelsFlags extends OutputFlags {
  baseUrl?: string;
}

interface ProviderModels {
  provider: string;
  models: ModelInfo[];
  /** Why the list is empty. */
  problem?: string;
}

export const configureModels: ConfigureCommand = (models, terminal, setExitCode) => {
  models
    .argument('[provider]', 'only this one')
    .addOption(single('--base-url <url>', 'the address of an openai-compatible server', webAddress))
    .addOption(json())
    .addOption(plainText())
    .action(async (provider: string | undefined, flags: ModelsFlags) =>
      setExitCode(await withRuntime(terminal, (runtime) => list(provider, runtime, flags, terminal))),
    );
};

async function list(
  only: string | undefined,
  runtime: Runtime,
  flags: ModelsFlags,
  terminal: Terminal,
): Promise<number> {
  const { models, names, auth } = await runtime.modelServices(flags.baseUrl);
  const accepted = names();
  if (only !== undefined && !accepted.includes(only)) {
    throw new UsageError(
      `there is no provider "${only}"${suggestion(only, accepted)}; accepted: ${accepted.join(', ')}`,
      {
        code: 'UNSUPPORTED_PROVIDER',
      },
    );
  }
  const wanted = only === undefined ? accepted : [only];
  const found = await Promise.all(
    wanted.map(async (name) => described(name, await models.list(name, terminal.signal))),
  );
  if (wantsJson(terminal, flags)) writeJson(terminal, found);
  else {
    const { profiles, environment } = await auth.status();
    const connected = new Set([
      runtime.config.provider,
      ...[...profiles, ...environment].map(({ provider }) => provider),
    ]);
    for (const each of found) {
      // Whoever asks about all wants to know what can be used: what cannot is one line.
      if (only !== undefined || connected.has(each.provider)) show(each, terminal);
      else showInOneLine(each, terminal);
    }
  }
  // Asked about one, that one must answer; asked about all, a server that is not running is no failure.
  return only !== undefined && found[0]?.problem ? EXIT.failed : EXIT.done;
}

function suggestion(name: string, accepted: readonly string[]): string {
  const close = nearest(name, accepted);
  return close ? ` (did you mean "${close}"?)` : '';
}

function described(provider: string, found: ModelList | undefined): ProviderModels {
  if (found?.ok) return { provider, models: found.models };
  return { provider, models: [], problem: found?.failure.message };
}

function showInOneLine({ provider, models, problem }: ProviderModels, terminal: Terminal): void {
  const { bold, dim } = colorsFor(terminal.out, terminal);
  const first = models.find(({ isDefault }) => isDefault) ?? models[0];
  const count = models.length > 1 ? ` and ${models.length - 1} more` : '';
  const row = findProvider(provider);
  const connect = row && row.signIn !== 'none' && models.length > 0 ? `; ${loginCommand(row)}` : '';
  terminal.out.write(
    `${bold(provider)}  ${dim(printable(first ? `${first.id}${count}${connect}` : (problem ?? 'no models')))}\n`,
  );
}

function show({ provider, models, problem }: ProviderModels, terminal: Terminal): void {
  const { bold, dim, green } = colorsFor(terminal.out, terminal);
  terminal.out.write(`${bold(provider)}${problem ? `  ${dim(printable(problem))}` : ''}\n`);
  for (const { id, contextWindow, price, tools, isDefault } of models) {
    const size = contextWindow ? `${Math.round(contextWindow / 1000)}k` : '';
    const cost = price ? `$${price.input} in, $${price.output} out a million` : '';
    terminal.out.write(
      `  ${isDefault ? green('*') : ' '} ${printable(id)}  ${dim([size, cost, tools === false && 'no tools'].filter(Boolean).join('  '))}\n`,
    );
  }
}
