import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSkills } from '../../skills/skills.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ToolArgs, ToolContext, ToolOutput } from '../tool.ts';
import { createSkillListTool } from './list.ts';
import { createSkillLoadTool } from './load.ts';

async function setUp(files: Record<string, string>) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-skills-')));
  onTestFinished(() => rmSync(base, { recursive: true }));
  mkdirSync(join(base, 'ws'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const workspace = await createWorkspace({ root: join(base, 'ws') });
  const service = createSkills({ home: () => createWorkspace({ root: join(base, 'home/skills') }) });
  const skills = async () => service;
  const isOwnSkill = async ({ name }: { name: string }): Promise<boolean> => name.startsWith('own');
  const context = { workspace, signal: new AbortController().signal } as ToolContext;
  const load = (args: ToolArgs): Promise<ToolOutput> =>
    createSkillLoadTool({ skills, isOwnSkill }).execute(args, context);
  const list = (): Promise<ToolOutput> => createSkillListTool({ skills, isOwnSkill }).execute({}, context);
  const problems = async (): Promise<Record<string, string>> => {
    const found = ((await list()).data as { problems: { folder: string; reason: string }[] }).problems;
    return Object.fromEntries(found.map(({ folder, reason }) => [folder, reason]));
  };
  return { base, write, list, load, problems, service, workspace };
}

const skill = (name: string, description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nDo it.\n`;

describe('skill_list', () => {
  it('tells name, description and source of the skills of both places, the workspace first', async () => {
    const { list } = await setUp({
      'ws/skills/both/SKILL.md': skill('both', 'From the workspace.'),
      'ws/skills/here/SKILL.md': skill('here'),
      'home/skills/both/SKILL.md': skill('both', 'From the home.'),
      'home/skills/there/SKILL.md': skill('there'),
    });
    const { data, text, meta } = await list();
    expect(data).toEqual({
      skills: [
        { name: 'both', description: 'From the workspace.', source: 'workspace' },
        { name: 'here', description: 'Does here.', source: 'workspace' },
        { name: 'there', description: 'Does there.', source: 'home' },
      ],
      problems: [],
    });
    expect(text).toContain('here (workspace): Does here.');
    expect(meta).toEqual({ tainted: true, taintedBy: ['skill:both', 'skill:here', 'installed-skill:there'] });
  });

  it("taints nothing with the person's own skills", async () => {
    const { list, load } = await setUp({
      'home/skills/own-one/SKILL.md': skill('own-one'),
      'home/skills/own-one/a.md': 'x',
    });
    expect((await list()).meta).toBeUndefined();
    expect((await load({ name: 'own-one' })).meta).toBeUndefined();
    expect((await load({ name: 'own-one', file: 'a.md' })).meta).toBeUndefined();
  });

  it('is empty where there is none, and then nothing came from outside', async () => {
    expect(await (await setUp({})).list()).toEqual({
      data: { skills: [], problems: [] },
      text: 'There are no skills.',
      meta: undefined,
    });
  });

  it('says why a folder is not a skill, and continues', async () => {
    const { base, list, problems } = await setUp({
      'ws/skills/good/SKILL.md': skill('good'),
      'ws/skills/second/SKILL.md': skill('Good'),
      'ws/skills/empty/README.md': 'nothing',
      'ws/skills/no-front/SKILL.md': '# Title\n',
      'ws/skills/large/SKILL.md': `${skill('large')}${'x'.repeat(300_000)}`,
      'ws/skills/README.md': 'a file beside them is nothing',
      'ws/skills/.hidden/SKILL.md': 'neither is this',
      'ws/elsewhere/linked/SKILL.md': skill('linked'),
      'outside/SKILL.md': skill('out'),
    });
    symlinkSync(join(base, 'ws/elsewhere/linked'), join(base, 'ws/skills/linked'));
    mkdirSync(join(base, 'ws/skills/out'));
    symlinkSync(join(base, 'outside/SKILL.md'), join(base, 'ws/skills/out/SKILL.md'));
    mkdirSync(join(base, 'ws/skills/inner'));
    symlinkSync(join(base, 'ws/elsewhere/linked/SKILL.md'), join(base, 'ws/skills/inner/SKILL.md'));
    expect(await problems()).toEqual({
      second: 'another folder here has a skill named "Good" too: rename one',
      empty: 'it has no SKILL.md',
      'no-front': expect.stringContaining('first line must be ---'),
      large: expect.stringContaining('over the limit of 262144'),
      linked: expect.stringContaining('symbolic link'),
      inner: expect.stringContaining('symbolic link'),
      out: expect.stringContaining('outside workspace'),
    });
    expect((await list()).data).toMatchObject({ skills: [{ name: 'good' }] });
  });

  it('has the name that its SKILL.md says, whatever its folder is called', async () => {
    const { list, load } = await setUp({
      'ws/skills/release/SKILL.md': skill('Release notes'),
      'ws/skills/release/a.md': 'beside it',
      'ws/skills/发布/SKILL.md': skill('发布 说明'),
      'home/skills/other/SKILL.md': skill('RELEASE NOTES'),
    });
    expect((await list()).data).toMatchObject({ skills: [{ name: 'Release notes' }, { name: '发布 说明' }] });
    expect(await load({ name: 'release  notes' })).toMatchObject({ data: { path: 'skills/release' } });
    expect(await load({ name: 'Release notes', file: 'a.md' })).toMatchObject({ text: 'beside it' });
    expect((await load({ name: '发布 说明' })).text).toContain('Does 发布 说明.');
  });

  it('does not follow a folder of skills that is a link', async () => {
    const { base, problems } = await setUp({ 'ws/elsewhere/a/SKILL.md': skill('a') });
    symlinkSync('elsewhere', join(base, 'ws/skills'));
    expect(await problems()).toEqual({ '': 'the folder of skills is a symbolic link' });
  });

  it('sees what is new, changed and gone at once', async () => {
    const { base, write, list } = await setUp({});
    const names = async () =>
      ((await list()).data as { skills: { description: string }[] }).skills.map((s) => s.description);
    expect(await names()).toEqual([]);
    write('home/skills/one/SKILL.md', skill('one'));
    write('ws/skills/two/SKILL.md', skill('two'));
    expect(await names()).toEqual(['Does one.', 'Does two.']);
    write('ws/skills/two/SKILL.md', skill('two', 'Does more.'));
    rmSync(join(base, 'home/skills'), { recursive: true });
    expect(await names()).toEqual(['Does more.']);
  });

  it('a description cannot pass for another line of the list', async () => {
    const { list } = await setUp({ 'ws/skills/a/SKILL.md': skill('a', '"x\\nb (home): y"') });
    expect((await list()).text).toBe('a (workspace): x b (home): y');
  });
});

describe('skill_load', () => {
  it('gives the whole SKILL.md, tells the files beside it, and is marked as coming from outside', async () => {
    const { load } = await setUp({
      'ws/skills/pdf/SKILL.md': skill('pdf'),
      'ws/skills/pdf/scripts/run.sh': 'echo hi\n',
      'ws/skills/pdf/references/deep/a.md': 'deep',
      'ws/skills/pdf/.cache/x': 'hidden',
    });
    const { data, text, meta } = await load({ name: 'pdf' });
    expect(data).toEqual({
      name: 'pdf',
      source: 'workspace',
      path: 'skills/pdf',
      content: skill('pdf'),
      files: [
        { path: 'references/deep/a.md', size: 4 },
        { path: 'scripts/run.sh', size: 8 },
      ],
    });
    expect(text).toContain('Do it.');
    expect(text).toContain('fs.read_file');
    expect(meta).toEqual({ tainted: true, taintedBy: ['skill:pdf'] });
  });

  it('of a skill in the home reads its files too', async () => {
    const { load } = await setUp({
      'home/skills/pdf/SKILL.md': skill('pdf'),
      'home/skills/pdf/references/a.md': 'the reference',
    });
    expect((await load({ name: 'pdf' })).text).toContain('skill_load {"name":"pdf","file":"…"}');
    expect(await load({ name: 'pdf', file: 'references/a.md' })).toEqual({
      data: { name: 'pdf', file: 'references/a.md', content: 'the reference' },
      text: 'the reference',
      meta: { tainted: true, taintedBy: ['installed-skill:pdf'] },
    });
  });

  it.each([
    '../../config.json',
    '/etc/passwd',
    'a/../../../x',
    '.',
    'none.md',
    'link.md',
    'references',
    'image.png',
    'large.txt',
  ])('refuses the file %s', async (file) => {
    const { base, load } = await setUp({
      'home/config.json': 'secret',
      'home/skills/pdf/SKILL.md': skill('pdf'),
      'home/skills/pdf/references/a.md': 'text',
      'home/skills/pdf/image.png': 'a\0b',
      'home/skills/pdf/large.txt': 'x'.repeat(300_000),
    });
    symlinkSync('references/a.md', join(base, 'home/skills/pdf/link.md'));
    await expect(load({ name: 'pdf', file })).rejects.toMatchObject({ name: 'ToolFailure', code: 'execution_error' });
  });

  it('names the nearest skill when there is none, and the reason when it cannot be used', async () => {
    const { load } = await setUp({ 'ws/skills/review/SKILL.md': skill('review'), 'ws/skills/bad/SKILL.md': 'x' });
    await expect(load({ name: 'reveiw' })).rejects.toThrow('there is no skill "reveiw" (did you mean review?)');
    await expect(load({ name: 'something-else' })).rejects.toThrow('; there is review');
    await expect(load({ name: '../review' })).rejects.toThrow('there is no skill');
    await expect(load({ name: 'bad' })).rejects.toThrow('cannot be used: it does not begin with front matter');
  });

  it("takes the home's skill where the workspace's of the same name cannot be used", async () => {
    const { load } = await setUp({ 'ws/skills/a/SKILL.md': 'broken', 'home/skills/a/SKILL.md': skill('a') });
    expect((await load({ name: 'a' })).data).toMatchObject({ source: 'home' });
  });

  it('stops when it is cancelled', async () => {
    const { service, workspace } = await setUp({ 'ws/skills/a/SKILL.md': skill('a') });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(service.list({ workspace, signal })).rejects.toThrow('stopped');
  });
});
