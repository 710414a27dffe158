import type { LoadedSkill, Skills } from '../../skills/skills.ts';
import { defineTool } from '../define-tool.ts';
import type { OwnContent } from '../own-content.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { taintOfSkill } from './taint-of-skill.ts';

export interface SkillToolDependencies extends Pick<OwnContent, 'isOwnSkill'> {
  skills(): Promise<Skills>;
}

export function createSkillLoadTool({ skills, isOwnSkill }: SkillToolDependencies): ToolSpec {
  return defineTool({
    name: 'skill_load',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 200 },
        file: { type: 'string', minLength: 1, maxLength: 1_000 },
      },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    timeoutMs: 20_000,
    async execute({ name, file }, { workspace, signal }) {
      const service = await skills();
      if (file !== undefined) {
        const read = await service.readFile(name, file, { workspace, signal }).catch(orToolFailure);
        const meta = await taintOfSkill({ name, source: read.source }, workspace.root, { isOwnSkill });
        return { data: { name, file: read.path, content: read.text }, text: read.text, meta };
      }
      const loaded = await service.load(name, { workspace, signal }).catch(orToolFailure);
      const { skill, text: content, files, moreFiles } = loaded;
      const { source, path } = skill;
      return {
        data: { name, source, path, content, files, ...(moreFiles ? { moreFiles } : {}) },
        text: `${content.trimEnd()}${renderFiles(loaded)}`,
        meta: await taintOfSkill(skill, workspace.root, { isOwnSkill }),
      };
    },
  });
}

function renderFiles({ skill, files, moreFiles }: LoadedSkill): string {
  if (files.length === 0) return '';
  const how =
    skill.source === 'workspace'
      ? `in ${skill.path}/ of the workspace; read one with fs.read_file or skill_load {"name":"${skill.name}","file":"…"}`
      : `outside the workspace; read one with skill_load {"name":"${skill.name}","file":"…"}`;
  const lines = files.map(({ path, size }) => `${path}  ${size} bytes`);
  return `\n\n---\nFiles of this skill, ${how}:\n${lines.join('\n')}${moreFiles ? '\n… and more' : ''}`;
}
