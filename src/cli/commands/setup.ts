// lainclaw setup: connects a model, tries it, and stores it with what goes with it.
import type { ConfigureCommand } from '../configure-command.ts';
import { operationContext } from '../run-operation.ts';
import { type SetupOutcome, storePlan } from '../setup/plan.ts';
import { addSetupFlags, checkSetupFlags, type SetupFlags, wrongUsage } from '../setup/setup-flags.ts';
import { canAsk, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

export const configureSetup: ConfigureCommand = (command, terminal, setExitCode) => {
  addSetupFlags(command).action(async (flags: SetupFlags) => setExitCode(await setup(flags, terminal)));
};

async function setup(flags: SetupFlags, terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  checkSetupFlags(flags, { isPiped: terminal.input.kind() !== 'terminal' });
  if (!flags.yes && !canAsk(terminal))
    throw wrongUsage('there is no terminal to ask at: give --yes with flags such as --provider and --api-key-env');
  return withRuntime(terminal, async (runtime) => {
    const context = operationContext(runtime, terminal);
    if (flags.yes) {
      const { planFromFlags } = await import('../setup/unattended.ts');
      show(await storePlan(await planFromFlags(flags, context, terminal), context), asJson, terminal);
      return 0;
    }
    return withPerson(flags, context, asJson, terminal);
  });
}

async function withPerson(
  flags: SetupFlags,
  context: ReturnType<typeof operationContext>,
  asJson: boolean,
  terminal: Terminal,
): Promise<number> {
  const [{ createPrompts, SetupCancelled }, { planWithPerson }] = await Promise.all([
    import('../setup/prompts.ts'),
    import('../setup/flow.ts'),
  ]);
  const prompts = createPrompts(terminal);
  const stored: string[] = [];
  try {
    const plan = await planWithPerson({ flags, prompts, context, terminal, onStored: (what) => stored.push(what) });
    const outcome = await storePlan(plan, context);
    prompts.end('Set up');
    show(outcome, asJson, terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof SetupCancelled)) throw error;
    prompts.end(
      stored.length > 0
        ? `Cancelled: ${stored.join(', ')} is kept, nothing else was changed`
        : 'Cancelled: nothing was changed',
    );
    return terminal.cancelledExit();
  }
}

function show(outcome: SetupOutcome, asJson: boolean, terminal: Terminal): void {
  const next = nextCommands(outcome);
  if (asJson) {
    writeJson(terminal, { success: true, ...outcome, next });
    return;
  }
  const lines = [...summaryOf(outcome), '', 'Now try:', ...next.map((command) => `  ${command}`)];
  terminal.out.write(`${lines.map(printable).join('\n')}\n`);
}

function summaryOf({ model, language, memory, channel, completion }: SetupOutcome): string[] {
  const keyFrom = model?.keyVariable === undefined ? '' : `, with the key in ${model.keyVariable}`;
  return [
    ...(model
      ? [
          `model       ${model.provider}/${model.model}${keyFrom}`,
          `steps       ${model.toolMaxSteps} model calls in one turn (toolMaxSteps)`,
        ]
      : []),
    ...(language === undefined ? [] : [`language    ${language}`]),
    ...(memory === undefined ? [] : [`memory      ${memory ? 'on' : 'off'}`]),
    ...(channel ? [`${channel.channel.padEnd(11)} ${channel.bot}, in ${channel.path}`] : []),
    ...(completion ? [`completion  ${completion.changed ? 'added to' : 'was already in'} ${completion.path}`] : []),
  ];
}

function nextCommands({ channel }: SetupOutcome): string[] {
  const gateway = channel ? [`lainclaw gateway start --channel ${channel.channel}   (then write to the bot)`] : [];
  return ['lainclaw ask "what can you do?"', 'lainclaw', ...gateway];
}
