import { findProvider } from '../../adapters/providers/all.ts';
import { loginCommand } from '../../adapters/providers/provider.ts';
import { listModels } from '../../operations/models.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { listSignIns } from '../../operations/sign-in.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText, single, webAddress } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { EXIT, type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';

interface ModelsFlags extends OutputFlags {
  baseUrl?: string;
}

type ProviderModels = OutputOf<typeof listModels>[number];

export const configureModels: ConfigureCommand = (models, terminal, setExitCode) => {
  models
    .argument('[provider]', 'only this one')
    .addOption(single('--base-url <url>', 'the address of an openai-compatible server', webAddress))
    .addOption(json())
    .addOption(plainText())
    .action(async (provider: string | undefined, flags: ModelsFlags) =>
      setExitCode(await list(provider, flags, terminal)),
    );
};

async function list(only: string | undefined, flags: ModelsFlags, terminal: Terminal): Promise<number> {
  let hasAnswered = true;
  const input = { provider: only, baseUrl: flags.baseUrl };
  const listed = runOperation(terminal, listModels, input, async (found, context) => {
    hasAnswered = found[0]?.problem === undefined;
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    const { profiles, environment } = await listSignIns.run({}, context);
    const connected = new Set([
      context.runtime.config.provider,
      ...[...profiles, ...environment].map(({ provider }) => provider),
    ]);
    for (const each of found) {
      // A person who asks about all wants to know what can be used: what cannot is one line.
      if (only !== undefined || connected.has(each.provider)) show(each, terminal);
      else showInOneLine(each, terminal);
    }
  });
  await listed.catch((error: unknown) => {
    if (!(error instanceof CodedError) || error.code !== 'UNSUPPORTED_PROVIDER') throw error;
    throw new UsageError(error.message, { code: error.code });
  });
  // Asked about one, that one must answer; asked about all, a server that is not running is not a failure.
  return only === undefined || hasAnswered ? EXIT.done : EXIT.failed;
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
