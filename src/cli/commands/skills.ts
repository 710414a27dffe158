import { counted } from '../../lib/counted.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { installSkills, listSkills, removeSkill, showSkill } from '../../operations/skills.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { list as listOf, withOutput, workspace } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';

interface SkillsFlags extends OutputFlags {
  workspace?: string;
}

interface InstallFlags extends OutputFlags {
  skill?: string[];
  force?: boolean;
}

export const configureSkills: ConfigureCommand = (skills, terminal) => {
  withOutput(
    skills.command('list').description('List the skills, and the folders that cannot be used, with the reason'),
  )
    .addOption(workspace())
    .action((flags: SkillsFlags) => list(flags, terminal));
  withOutput(
    skills.command('show').description('Show the SKILL.md of a skill and the files beside it').argument('<name>'),
  )
    .addOption(workspace())
    .action((name: string, flags: SkillsFlags) => show(name, flags, terminal));
  withOutput(
    skills
      .command('install')
      .description('Copy a skill into the home; nothing of it is run')
      .argument('<source>', 'a folder, a git address or an npm package'),
  )
    .addOption(listOf('--skill <names>', 'the skills to install, when the source holds several'))
    .option('--force', 'replace a skill of the same name')
    .action((source: string, flags: InstallFlags) => install(source, flags, terminal));
  withOutput(skills.command('remove').description('Delete a skill from the home').argument('<name>'))
    .option('--force', 'also one that was not installed from elsewhere')
    .action((name: string, flags: InstallFlags) => remove(name, flags, terminal));
};

async function explained(done: Promise<void>, terminal: Terminal): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (terminal.signal.aborted) warn(terminal, 'stopped before it was done: nothing was installed or removed');
    if (error instanceof Error && 'code' in error && error.code === 'SKILL_USAGE') throw new UsageError(error.message);
    throw error;
  }
}

async function list(flags: SkillsFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listSkills, {}, (found) => showSkills(found, flags, terminal), flags);
}

function showSkills({ skills, problems }: OutputOf<typeof listSkills>, flags: SkillsFlags, terminal: Terminal): void {
  for (const { source, folder, reason } of problems)
    warn(terminal, `${folder === '' ? 'skills' : `the skill "${folder}"`} (${source}) cannot be used: ${reason}`);
  if (wantsJson(terminal, flags)) return void writeJson(terminal, { skills, problems });
  if (skills.length === 0)
    return void terminal.out.write(
      'no skills yet: put one into skills/<name>/SKILL.md, or "lainclaw skills install"\n',
    );
  const colors = colorsFor(terminal.out, terminal);
  const width = Math.max(...skills.map(({ name }) => name.length));
  for (const { name, source, description, hidesHome } of skills) {
    const where = hidesHome ? `${source}, in front of the one in the home` : source;
    terminal.out.write(`${colors.bold(name.padEnd(width))}  ${colors.dim(where)}  ${printable(description)}\n`);
  }
}

async function show(name: string, flags: SkillsFlags, terminal: Terminal): Promise<void> {
  await runOperation(
    terminal,
    showSkill,
    { name },
    (skill) => {
      if (wantsJson(terminal, flags)) return writeJson(terminal, skill);
      terminal.out.write(`${printable(skill.content.trimEnd())}\n`);
      if (skill.files.length > 0) terminal.out.write(`\n${skill.path}\n`);
      for (const { path, size } of skill.files) terminal.out.write(`  ${printable(path)}  ${size} bytes\n`);
    },
    flags,
  );
}

async function install(
  source: string,
  { skill: names, force, ...flags }: InstallFlags,
  terminal: Terminal,
): Promise<void> {
  const done = runOperation(terminal, installSkills, { source, names, force }, ({ installed }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { installed });
    for (const skill of installed) terminal.out.write(`${described(skill)}\n`);
  });
  await explained(done, terminal);
}

function described({
  name,
  path,
  files,
  bytes,
  replaced,
  executables,
}: OutputOf<typeof installSkills>['installed'][number]): string {
  const scripts = executables.length > 0 ? `, executable: ${executables.join(', ')}` : '';
  return printable(
    `${replaced ? 'replaced' : 'installed'} ${name} in ${path} (${counted(files, 'file')}, ${counted(bytes, 'byte')}${scripts})`,
  );
}

async function remove(name: string, { force, ...flags }: InstallFlags, terminal: Terminal): Promise<void> {
  const done = runOperation(terminal, removeSkill, { name, force }, ({ removed }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { removed });
    terminal.out.write(`removed ${removed.path}\n`);
  });
  await explained(done, terminal);
}
