import { SkillError } from '../../skills/skill-error.ts';
import { ToolFailure } from '../tool.ts';

/** A refusal of the skills becomes a failure that the caller sees; anything else is a defect and is thrown on. */
export function orToolFailure(error: unknown): never {
  if (!(error instanceof SkillError)) throw error;
  throw new ToolFailure(error.message, { reason: error.code === 'SKILL_LIMIT' ? 'limit' : undefined, cause: error });
}
