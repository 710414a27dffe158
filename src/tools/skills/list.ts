import type { SkillListing } from '../../skills/skills.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import type { SkillToolDependencies } from './load.ts';
import { taintOfSkill } from './taint-of-skill.ts';

export function createSkillListTool({ skills, isOwnSkill }: SkillToolDependencies): ToolSpec {
  return defineTool({
    name: 'skill_list',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 20_000,
    async execute(_, { workspace, signal }) {
      const listing = await (await skills()).list({ workspace, signal }).catch(orToolFailure);
      // The author of a skill wrote its description; a folder that cannot be used at least has a name.
      const shown = [...listing.skills, ...listing.problems.map(({ folder, source }) => ({ name: folder, source }))];
      const taints = await Promise.all(shown.map((skill) => taintOfSkill(skill, workspace.root, { isOwnSkill })));
      const taintedBy = taints.flatMap((taint) => taint?.taintedBy ?? []);
      const found = listing.skills.map(({ name, description, source }) => ({ name, description, source }));
      return {
        data: { skills: found, problems: listing.problems },
        text: render(listing),
        meta: taintedBy.length > 0 ? { tainted: true, taintedBy } : undefined,
      };
    },
  });
}

const PROBLEMS_SHOWN = 20;

function render({ skills, problems }: SkillListing): string {
  if (skills.length + problems.length === 0) return 'There are no skills.';
  return [
    ...skills.map(({ name, description, source }) => `${name} (${source}): ${description}`),
    ...problems
      .slice(0, PROBLEMS_SHOWN)
      .map(({ source, folder, reason }) => `not usable: ${folder || 'skills'} (${source}): ${reason}`),
    ...(problems.length > PROBLEMS_SHOWN ? [`… and ${problems.length - PROBLEMS_SHOWN} more that are not usable`] : []),
  ].join('\n');
}
