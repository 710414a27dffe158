// lainclaw setup: connects a model, tries it, and stores it with what goes with it.
import type { Language } from '../../config/settings.ts';
import { getSetting } from '../../operations/config.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { loadSetupChannels, type SetupChannel } from '../../operations/setup-channel.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { operationContext } from '../run-operation.ts';
import type { FlowOptions, Speech } from '../setup/flow.ts';
import { LANGUAGE_NAMES, loadSetupTexts, systemLanguage } from '../setup/languages/language.ts';
import type { SetupTexts } from '../setup/languages/setup-texts.ts';
import { type SetupOutcome, storePlan } from '../setup/plan.ts';
import { rowsOf } from '../setup/rows.ts';
import { addSetupFlags, checkSetupFlags, type SetupFlags, wrongUsage } from '../setup/setup-flags.ts';
import { canAsk, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

/** `channels`: those that can be set up. */
function configureSetupOf(channels: readonly SetupChannel[]): ConfigureCommand {
  return (command, terminal, setExitCode) =>
    void addSetupFlags(command, channels).action(async (flags: SetupFlags) =>
      setExitCode(await setup(flags, channels, terminal)),
    );
}

/** The command, with the channels there are. */
export async function loadSetup(): Promise<ConfigureCommand> {
  return configureSetupOf(await loadSetupChannels());
}

async function setup(flags: SetupFlags, channels: readonly SetupChannel[], terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  checkSetupFlags(flags, { isPiped: terminal.input.kind() !== 'terminal', channels });
  if (!flags.yes && !canAsk(terminal))
    throw wrongUsage('there is no terminal to ask at: give --yes with flags such as --provider and --api-key-env');
  return withRuntime(terminal, async (runtime) => {
    const context = operationContext(runtime, terminal);
    const speech = await speechOf(flags, context);
    if (!flags.yes) return withPerson({ flags, channels, context, speech, terminal }, asJson);
    const { planFromFlags } = await import('../setup/unattended.ts');
    const outcome = await storePlan(await planFromFlags(flags, channels, context, terminal), context);
    show(outcome, { asJson, texts: speech.texts }, terminal);
    return 0;
  });
}

/** The language that was chosen, otherwise the system's. */
async function speechOf({ language: given }: SetupFlags, context: OperationContext): Promise<Speech> {
  const { value, source } = await getSetting.run({ key: 'language' }, context);
  const chosen = source === 'default' ? systemLanguage(context.runtime.configFile.variables) : undefined;
  const language = given ?? chosen ?? (value as Language);
  return { language, texts: await loadSetupTexts(language) };
}

async function withPerson(options: Omit<FlowOptions, 'prompts' | 'onStored'>, asJson: boolean): Promise<number> {
  const { context, speech, terminal } = options;
  const [{ createPrompts, SetupCancelled }, { planWithPerson }] = await Promise.all([
    import('../setup/prompts.ts'),
    import('../setup/flow.ts'),
  ]);
  const prompts = createPrompts(terminal, { explainsKeys: () => speech.language === 'en' });
  let isSignInKept = false;
  const onStored = (): void => {
    isSignInKept = true;
  };
  try {
    const plan = await planWithPerson({ ...options, prompts, onStored });
    const outcome = await storePlan(plan, context);
    prompts.end(speech.texts.done);
    show(outcome, { asJson, texts: speech.texts }, terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof SetupCancelled)) throw error;
    prompts.end(isSignInKept ? speech.texts.cancelledButKept : speech.texts.cancelled);
    return terminal.cancelledExit();
  }
}

function show(
  outcome: SetupOutcome,
  { asJson, texts }: { asJson: boolean; texts: SetupTexts },
  terminal: Terminal,
): void {
  const next = nextCommands(outcome, texts);
  if (asJson) {
    writeJson(terminal, { success: true, ...outcome, next });
    return;
  }
  const rows = summaryOf(outcome, texts);
  const told = rows.length > 0 ? rows : [texts.summary.unchanged];
  const lines = [...told, '', texts.summary.next, ...next.map((command) => `  ${command}`)];
  terminal.out.write(`${lines.map(printable).join('\n')}\n`);
}

function summaryOf(
  { model, language, memory, search, channel, completion }: SetupOutcome,
  texts: SetupTexts,
): string[] {
  const { summary, now, on, off } = texts;
  const keyFrom = model?.keyVariable === undefined ? '' : summary.keyIn(model.keyVariable);
  const reused = model?.reusedFrom === undefined ? '' : summary.reusedFrom(model.reusedFrom);
  const { changed, path = '' } = completion ?? {};
  return rowsOf([
    ...(model ? ([[summary.model, `${model.provider}/${model.model}${keyFrom}${reused}`]] as const) : []),
    ...(model ? ([[summary.steps, summary.stepsOf(model.toolMaxSteps)]] as const) : []),
    ...(language === undefined ? [] : ([[now.language, LANGUAGE_NAMES[language]]] as const)),
    ...(memory === undefined ? [] : ([[now.memory, memory ? on : off]] as const)),
    ...(search ? ([[summary.search, `${search.service}${keyOf(search, summary)}`]] as const) : []),
    ...(channel ? ([[channel.channel, summary.inFile(channel.bot, channel.path)]] as const) : []),
    ...(completion
      ? ([[summary.completion, changed ? summary.completionAdded(path) : summary.completionPresent(path)]] as const)
      : []),
  ]);
}

function keyOf({ keyVariable }: NonNullable<SetupOutcome['search']>, { keyIn }: SetupTexts['summary']): string {
  return keyVariable === undefined ? '' : keyIn(keyVariable);
}

function nextCommands({ channel }: SetupOutcome, { summary }: SetupTexts): string[] {
  const gateway = channel ? [`lainclaw gateway start --channel ${channel.channel}   ${summary.thenWrite}`] : [];
  return [`lainclaw ask "${summary.question}"`, 'lainclaw', ...gateway];
}
