// Skills: folders with a SKILL.md, of the workspace and of the home.
import { openFiles } from './open-files.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const SOURCE = { enum: ['workspace', 'home'] } as const;
const FACTS = {
  required: { name: TEXT, description: TEXT, source: SOURCE, path: TEXT },
  optional: {
    license: TEXT,
    compatibility: TEXT,
    metadata: { type: 'object', additionalProperties: TEXT },
    allowedTools: listOf(TEXT),
  },
} as const;
const INSTALLED = {
  type: 'object',
  description: 'where it was installed from, when, and whether it was changed since',
} as const;
const SKILL = objectWith(FACTS.required, { ...FACTS.optional, hidesHome: { const: true }, installed: INSTALLED });
const CHANGES = { force: { ...YES_OR_NO, default: false } } as const;

export const listSkills = defineOperation({
  name: 'skills.list',
  class: 'read',
  summary: 'List the skills, and the folders that cannot be used as one.',
  input: NO_INPUT,
  output: objectWith({
    skills: listOf(SKILL),
    problems: listOf(objectWith({ source: SOURCE, folder: TEXT, reason: TEXT })),
  }),
  async run(_input, context) {
    const { runtime, signal, warn } = context;
    const at = { workspace: await openFiles(context), signal };
    const { skills, problems } = await (await runtime.skills()).list(at);
    const installed = await (await runtime.skillInstaller()).installed(signal);
    if (installed.damaged) warn('the record of installed skills is damaged: install them again with --force');
    for (const [name, { changed }] of installed.skills)
      if (changed) warn(`the skill "${name}" was changed since it was installed: look at it, or install it again`);
    const rows = skills.map((skill) => {
      const { source, installedAt, hash, changed } =
        (skill.source === 'home' ? installed.skills.get(skill.name) : undefined) ?? {};
      return source ? { ...skill, installed: { ...source, installedAt, hash, changed } } : skill;
    });
    return { skills: rows, problems };
  },
});

export const showSkill = defineOperation({
  name: 'skills.show',
  class: 'read',
  summary: 'Read the SKILL.md of a skill and list the files beside it.',
  input: { type: 'object', properties: { name: TEXT }, required: ['name'], additionalProperties: false },
  output: objectWith(
    {
      ...FACTS.required,
      content: TEXT,
      files: listOf(objectWith({ path: TEXT, size: COUNT })),
      moreFiles: YES_OR_NO,
    },
    { ...FACTS.optional, installed: INSTALLED },
  ),
  async run({ name }, context) {
    const { runtime, signal, warn } = context;
    const at = { workspace: await openFiles(context), signal };
    const { skill, text, files, moreFiles } = await (await runtime.skills()).load(name, at);
    const installed = skill.source === 'home' ? await installedSkill(name, context) : undefined;
    if (installed?.changed) warn(`the skill "${name}" was changed since it was installed`);
    return { ...skill, ...(installed && { installed: { ...installed } }), content: text, files, moreFiles };
  },
});

export const installSkills = defineOperation({
  name: 'skills.install',
  class: 'danger',
  summary: 'Copy skills into the home from a folder, a git address or an npm package; nothing of them is run.',
  input: {
    type: 'object',
    properties: { source: TEXT, names: listOf(TEXT), ...CHANGES },
    required: ['source'],
    additionalProperties: false,
  },
  output: objectWith({
    installed: listOf({
      type: 'object',
      properties: {
        name: TEXT,
        description: TEXT,
        path: TEXT,
        replaced: YES_OR_NO,
        files: COUNT,
        bytes: COUNT,
        hash: TEXT,
        installedAt: TIME,
        executables: listOf(TEXT),
        skipped: listOf(TEXT),
      },
      required: ['name', 'path', 'replaced', 'files', 'bytes', 'executables', 'skipped'],
    }),
  }),
  async run({ source, names, force }, { runtime, signal, warn }) {
    const installed = await (await runtime.skillInstaller()).install(source, { names, force, signal });
    for (const { name, skipped } of installed)
      for (const path of skipped) warn(`${name}: ${path} is a link or a special file and was left out`);
    return { installed: installed.map((each) => ({ ...each })) };
  },
});

export const removeSkill = defineOperation({
  name: 'skills.remove',
  class: 'danger',
  summary: 'Delete a skill from the home.',
  input: { type: 'object', properties: { name: TEXT, ...CHANGES }, required: ['name'], additionalProperties: false },
  output: objectWith({ removed: { type: 'object', properties: { path: TEXT }, required: ['path'] } }),
  async run({ name, force }, { runtime, signal }) {
    const removed = await (await runtime.skillInstaller()).remove(name, { force, signal });
    return { removed: { ...removed } };
  },
});

async function installedSkill(name: string, { runtime, signal }: OperationContext) {
  return (await (await runtime.skillInstaller()).installed(signal)).skills.get(name);
}
