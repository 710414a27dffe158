// Files whose content counts as the person's own words: they do not taint the turn that reads them.
import type { SkillSource } from '../skills/skill.ts';

export interface OwnContent {
  /** A folder that the person trusts, or one below it. */
  isTrusted(folder: string): Promise<boolean>;
  /** A skill that the person wrote into the home, or one of a folder they trust; not one that was installed from elsewhere. */
  isOwnSkill(skill: { name: string; source: SkillSource }, workspaceRoot: string): Promise<boolean>;
}
