import { ToolFailure } from '../tool.ts';

/** A refusal of the skills speaks to the caller; anything else is a defect and passes on. */
export function orToolFailure(error: unknown): never {
  // Known by name: the class would bring its whole service into every start.
  if (!(error instanceof Error) || error.name !== 'SkillError') throw error;
  const { code } = error as Error & { code?: string };
  throw new ToolFailure(error.message, { reason: code === 'SKILL_LIMIT' ? 'limit' : undefined, cause: error });
}
