import type { SkillListing, Skills } from '../../skills/skills.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createSkillListTool({ skills }: { skills(): Promise<Skills> }): ToolSpec {
  return defineTool({
    name: 'skill_list',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    subject: noSubject,
    timeoutMs: 20_000,
    async execute(_, { workspace, signal }) {
      const listing = await (await skills()).list({ workspace, signal }).catch(orToolFailure);
      const isEmpty = listing.skills.length + listing.problems.length === 0;
      const found = listing.skills.map(({ name, description, source }) => ({ name, description, source }));
      return {
        data: { skills: found, problems: listing.problems },
        text: render(listing),
        // Descriptions are other people's words.
        meta: isEmpty ? undefined : { tainted: true },
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
