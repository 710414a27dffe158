import { basename } from 'node:path';
import type { Option } from 'commander';
import { type Candidate, commandNameIn, type Place, placeIn } from '../completion/completion.ts';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import { parseShellLine } from '../completion/shell-line.ts';
import type { ConfigureCommand, CreateProgram } from '../configure-command.ts';
import { oneOf, single } from '../flags.ts';
import { printable, type Terminal, UsageError } from '../terminal.ts';

interface CompletionFlags {
  /** How the command line is given: bash's own line and break characters, or words without quotes. */
  complete?: 'line' | 'words';
}

interface CompletionContext {
  createProgram: CreateProgram;
  terminal: Terminal;
}

/** A person who pressed a key waits no longer than this. */
const LONGEST_MS = 2_000;

/** Completes the commands of the program that is handed in. */
export const configureCompletion =
  (createProgram: CreateProgram): ConfigureCommand =>
  (command, terminal) => {
    command
      .argument('[shell]', `${SHELLS.join(', ')} (default: that of $SHELL)`)
      // The words to complete are not for people.
      .allowExcessArguments()
      .addOption(hidden(single('--complete <form>', 'line or words', oneOf(['line', 'words']))))
      .action(async (shell: string | undefined, { complete }: CompletionFlags) => {
        if (complete === undefined) return printScript(shell, command.args.slice(1), terminal);
        await answer(complete, command.args, { createProgram, terminal });
      });
  };

function printScript(named: string | undefined, more: string[], terminal: Terminal): void {
  const accepted = SHELLS.join(', ');
  if (more.length > 0) throw new UsageError(`completion takes one shell; accepted: ${accepted}`);
  const shell = named ?? basename(terminal.environment.variables.SHELL ?? '');
  if (!SHELLS.includes(shell as Shell))
    throw new UsageError(
      named === undefined
        ? `the shell is unknown: $SHELL does not name it${shell && ` (${shell})`}: name one of ${accepted}`
        : `there is no completion for "${named}"; accepted: ${accepted}`,
      { usage: 'lainclaw completion <shell>' },
    );
  terminal.out.write(SCRIPTS[shell as Shell]);
}

/** Says nothing rather than an error: it would land in what the person is typing. */
async function answer(form: 'line' | 'words', given: readonly string[], context: CompletionContext): Promise<void> {
  const { terminal } = context;
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), LONGEST_MS);
  const lines = await Promise.race([answerLines(form, given, context).catch(() => []), late]);
  clearTimeout(timer);
  // A file that cannot be opened keeps the process even from exiting.
  if (lines === 'late') return terminal.kill();
  terminal.out.write(lines.map((line) => `${line}\n`).join(''));
}

async function answerLines(
  form: 'line' | 'words',
  given: readonly string[],
  { createProgram, terminal }: CompletionContext,
): Promise<readonly string[]> {
  const line = form === 'line' ? parseShellLine(given[0] ?? '', given[1] ?? '') : undefined;
  const [, first, ...others] = line?.words ?? given;
  // "lainclaw help ask" is "lainclaw ask --help".
  const words = first === 'help' && others.length > 0 ? others : [first ?? '', ...others];
  const program = await createProgram({
    version: terminal.environment.version,
    terminal,
    commandName: commandNameIn(words),
    replaced: {},
    setExitCode: () => {},
  });
  const found = await candidatesAt(placeIn(program, words), terminal);
  if (typeof found === 'string') return [found];
  const fit = found.filter(({ value }) => printable(value) === value && !/[\n\t]/.test(value));
  if (line) return ['values', ...fit.map(({ value }) => line.insertion(value))];
  return ['values', ...fit.map(({ value, description }) => `${value}\t${oneLine(description)}`)];
}

async function candidatesAt(
  { value, candidates, ...line }: Place,
  terminal: Terminal,
): Promise<Candidate[] | 'files' | 'directories'> {
  if (!value) return candidates;
  const { accepted, before, written, taken } = value;
  const fitting = (all: readonly Candidate[]): Candidate[] => {
    const fit = all.filter((each) => each.value.startsWith(written) && !taken.includes(each.value));
    return fit.length > 0 ? fit.map((each) => ({ ...each, value: before + each.value })) : candidates;
  };
  if (accepted) return fitting(accepted.map((each) => ({ value: each, description: '' })));
  const { kindOf, lookUp } = await import('../completion/values.ts');
  const kind = kindOf(value);
  if (kind === undefined || kind === 'nothing') return candidates;
  if (kind === 'files' || kind === 'directories') return kind;
  // A question is free text: only the beginning of a tool call is worth a look.
  if (kind === 'manualCalls' && !written.startsWith('tool:')) return candidates;
  return fitting(await lookUp({ kind, ...line, terminal }).catch(() => []));
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).trim().slice(0, 120);
}

function hidden(option: Option): Option {
  return option.hideHelp();
}
