import type { SkillSource } from '../../skills/skill.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import type { OwnContent } from '../own-content.ts';

/** The meta of a result that shows this skill: whatever it says, it grants nothing, and unless it is the person's own it taints. */
export async function taintOfSkill(
  { name, source }: { name: string; source: SkillSource },
  workspaceRoot: string,
  { isOwnSkill }: Pick<OwnContent, 'isOwnSkill'>,
): Promise<{ tainted: true; taintedBy: string[] } | undefined> {
  if (await isOwnSkill({ name, source }, workspaceRoot)) return undefined;
  return { tainted: true, taintedBy: [taintSource(source === 'workspace' ? 'skill' : 'installed-skill', name)] };
}
