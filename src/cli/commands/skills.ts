import type { Runtime } from '../../runtime/runtime.ts';
import type { InstallOutcome } from '../../skills/install/installer.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { colorsFor } from '../colors.ts';
import { list as listOf, withOutput, workspace } from '../flags.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime, withWorkspace } from '../with-runtime.ts';

interface SkillsFlags extends OutputFlags {
  workspace?: string;
}

interface InstallFlags extends OutputFlags {
  skill?: string[];
  force?: boolean;
}

interface Opened {
  files: Workspace;
  runtime: Runtime;
}

export const configureSkills: ConfigureCommand = (skills, terminal) => {
  const inWorkspace = ({ workspace: root }: SkillsFlags, use: (opened: Opened) => Promise<void>): Promise<void> =>
    explained(
      withWorkspace(terminal, { root }, ({ files }, runtime) => use({ files, runtime })),
      terminal,
    );
  const inHome = (use: (runtime: Runtime) => Promise<void>): Promise<void> =>
    explained(withRuntime(terminal, use), terminal);

  withOutput(skills.command('list').description('every skill, and the folders that are none, with the reason'))
    .addOption(workspace())
    .action((flags: SkillsFlags) => inWorkspace(flags, (opened) => list(opened, flags, terminal)));
  withOutput(skills.command('show').description('the SKILL.md of a skill and the files beside it').argument('<name>'))
    .addOption(workspace())
    .action((name: string, flags: SkillsFlags) => inWorkspace(flags, (opened) => show(name, opened, flags, terminal)));
  withOutput(
    skills
      .command('install')
      .description('copy a skill into the home; nothing of it is run')
      .argument('<source>', 'a folder, a git address or an npm package'),
  )
    .addOption(listOf('--skill <names>', 'which, when the source holds several'))
    .option('--force', 'replace a skill of the same name')
    .action((source: string, flags: InstallFlags) => inHome((runtime) => install(source, runtime, flags, terminal)));
  withOutput(skills.command('remove').description('delete a skill from the home').argument('<name>'))
    .option('--force', 'also one that was not installed from elsewhere')
    .action((name: string, flags: InstallFlags) => inHome((runtime) => remove(name, runtime, flags, terminal)));
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

async function list({ files, runtime }: Opened, flags: SkillsFlags, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const { skills, problems } = await (await runtime.skills()).list({ workspace: files, signal });
  const installed = await (await runtime.skillInstaller()).installed(signal);
  const rows = skills.map((skill) => {
    const { source, installedAt, hash, changed } =
      (skill.source === 'home' ? installed.skills.get(skill.name) : undefined) ?? {};
    return source ? { ...skill, installed: { ...source, installedAt, hash, changed } } : skill;
  });
  if (installed.damaged) warn(terminal, 'the record of installed skills is damaged: install them again with --force');
  for (const [name, { changed }] of installed.skills)
    if (changed)
      warn(terminal, `the skill "${name}" was changed since it was installed: look at it, or install it again`);
  for (const { source, folder, reason } of problems)
    warn(terminal, `${folder === '' ? 'skills' : `the skill "${folder}"`} (${source}) cannot be used: ${reason}`);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { skills: rows, problems });
  if (rows.length === 0)
    return void terminal.out.write(
      'no skills yet: put one into skills/<name>/SKILL.md, or "lainclaw skills install"\n',
    );
  const colors = colorsFor(terminal.out, terminal);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, source, description, hidesHome } of rows) {
    const where = hidesHome ? `${source}, in front of the one in the home` : source;
    terminal.out.write(`${colors.bold(name.padEnd(width))}  ${colors.dim(where)}  ${printable(description)}\n`);
  }
}

async function show(
  name: string,
  { files: workspace, runtime }: Opened,
  flags: SkillsFlags,
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal;
  const loaded = await (await runtime.skills()).load(name, { workspace, signal });
  const { skill, text, files, moreFiles } = loaded;
  const state =
    skill.source === 'home' ? (await (await runtime.skillInstaller()).installed(signal)).skills.get(name) : undefined;
  if (state?.changed) warn(terminal, `the skill "${name}" was changed since it was installed`);
  if (wantsJson(terminal, flags))
    return writeJson(terminal, { ...skill, installed: state, content: text, files, moreFiles });
  terminal.out.write(`${printable(text.trimEnd())}\n`);
  if (files.length > 0) terminal.out.write(`\n${skill.path}\n`);
  for (const { path, size } of files) terminal.out.write(`  ${printable(path)}  ${size} bytes\n`);
}

async function install(source: string, runtime: Runtime, flags: InstallFlags, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const installer = await runtime.skillInstaller();
  const installed = await installer.install(source, { names: flags.skill, force: flags.force, signal });
  for (const { name, skipped } of installed)
    for (const path of skipped) warn(terminal, `${name}: ${path} is a link or a special file and was left out`);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { installed });
  for (const skill of installed) terminal.out.write(`${described(skill)}\n`);
}

function described({ name, path, files, bytes, replaced, executables }: InstallOutcome): string {
  const scripts = executables.length > 0 ? `, executable: ${executables.join(', ')}` : '';
  return printable(
    `${replaced ? 'replaced' : 'installed'} ${name} in ${path} (${files} files, ${bytes} bytes${scripts})`,
  );
}

async function remove(name: string, runtime: Runtime, flags: InstallFlags, terminal: Terminal): Promise<void> {
  const removed = await (await runtime.skillInstaller()).remove(name, { force: flags.force, signal: terminal.signal });
  if (wantsJson(terminal, flags)) return writeJson(terminal, { removed });
  terminal.out.write(`removed ${removed.path}\n`);
}
