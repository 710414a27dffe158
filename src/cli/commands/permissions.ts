import { addPermission, listPermissions, removePermission } from '../../operations/permissions.ts';
import { LISTS, type List } from '../../tools/permissions/rules.ts';
import { type Colors, colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { oneOf, single, text, withOutput, workspace } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';

interface RuleFlags extends OutputFlags {
  workspace?: string;
  global?: boolean;
  folder?: string;
  list?: List;
}

export const configurePermissions: ConfigureCommand = (permissions, terminal) => {
  withOutput(permissions.command('list').description('List the rules of this workspace and those that hold everywhere'))
    .addOption(workspace())
    .action((flags: RuleFlags) => list(flags, terminal));
  withOutput(
    permissions
      .command('add')
      .description("Add a rule for this workspace, such as 'bash(npm test)'")
      .argument('<rule>', "a tool, or a tool with a pattern: 'bash(git push*)'"),
  )
    .addOption(single('--list <name>', `what the rule does: ${LISTS.join(', ')} (default: allow)`, oneOf(LISTS)))
    .option('--global', 'for every workspace')
    .addOption(workspace())
    .action((rule: string, flags: RuleFlags) => add(rule, flags, terminal));
  withOutput(
    permissions
      .command('remove')
      .description('Remove a rule of this workspace')
      .argument('<rule>', 'as "permissions list" shows it'),
  )
    .option('--global', 'a rule that holds in every workspace')
    .addOption(single('--folder <dir>', 'a rule of another workspace, also of a deleted one', text))
    .addOption(workspace())
    .action((rule: string, flags: RuleFlags) => remove(rule, flags, terminal));
};

async function list(flags: RuleFlags, terminal: Terminal): Promise<void> {
  await runOperation(
    terminal,
    listPermissions,
    {},
    (found) => {
      if (wantsJson(terminal, flags)) return writeJson(terminal, found);
      const colors = colorsFor(terminal.out, terminal);
      const write = (line: string): void => void terminal.out.write(`${line}\n`);
      write(colors.bold(`In ${printable(found.folder)}`));
      for (const line of ruleLines(found.workspace, found.inactive, colors)) write(line);
      write(colors.bold('In every workspace (global)'));
      for (const line of ruleLines(found.global, found.inactive, colors)) write(line);
      for (const other of found.others) {
        write(colors.bold(`In ${printable(other.folder)}`));
        for (const line of ruleLines(other, found.inactive, colors)) write(line);
      }
    },
    { workspace: flags.workspace },
  );
}

function ruleLines(rules: Record<List, readonly string[]>, inactive: readonly string[], { dim }: Colors): string[] {
  const lines = LISTS.flatMap((name) =>
    rules[name].map((rule) => {
      const note = inactive.includes(rule) ? `  ${dim('no such tool here')}` : '';
      return `  ${name.padEnd(5)}  ${printable(rule)}${note}`;
    }),
  );
  return lines.length > 0 ? lines : [dim('  no rules')];
}

async function add(rule: string, flags: RuleFlags, terminal: Terminal): Promise<void> {
  const input = { rule, list: flags.list, global: flags.global };
  await runOperation(
    terminal,
    addPermission,
    input,
    (added) => {
      if (added.inactive) warn(terminal, `there is no such tool here: the rule waits for it`);
      if (wantsJson(terminal, flags)) return writeJson(terminal, added);
      const where = added.folder === undefined ? 'every workspace' : printable(added.folder);
      terminal.out.write(`${added.added ? 'added' : 'already there'}: ${printable(added.rule)} in ${where}\n`);
    },
    { workspace: flags.workspace },
  );
}

async function remove(rule: string, flags: RuleFlags, terminal: Terminal): Promise<void> {
  await runOperation(
    terminal,
    removePermission,
    { rule, global: flags.global, folder: flags.folder },
    (removed) => {
      if (wantsJson(terminal, flags)) return writeJson(terminal, removed);
      const where = removed.folder === undefined ? 'every workspace' : printable(removed.folder);
      terminal.out.write(`removed: ${printable(removed.rule)} in ${where}\n`);
    },
    { workspace: flags.workspace },
  );
}
