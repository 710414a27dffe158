import { SkillError } from '../../skills/skill-error.ts';
import { ToolFailure } from '../tool.ts';

/** A refusal of the skills speaks to the caller; anything else is a defect and passes on. */
export function orToolFailure(error: unknown): never {
  if (!(error instanceof SkillError)) throw error;
  throw new ToolFailure(error.message, { reason: error.code === 'SKILL_LIMIT' ? 'limit' : undefined, cause: error });
}
