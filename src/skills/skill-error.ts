import { CodedError } from '../vocabulary/coded-error.ts';

export type SkillErrorCode =
  | 'SKILL_NOT_FOUND'
  | 'SKILL_INVALID'
  | 'SKILL_EXISTS'
  | 'SKILL_NOT_INSTALLED'
  | 'SKILL_USAGE' // the install source has no accepted form
  | 'SKILL_SOURCE'
  | 'SKILL_FETCH'
  | 'SKILL_LIMIT';

/** Every failure of skills: the message says what to do. */
export class SkillError extends CodedError<SkillErrorCode> {}
