import { CodedError } from '../vocabulary/coded-error.ts';
export type ScheduleErrorCode =
  | 'SCHEDULE_INVALID'
  | 'SCHEDULE_NEVER_FIRES'
  | 'SCHEDULE_BAD_TIMEZONE'
  | 'SCHEDULE_BAD_NAME'
  | 'SCHEDULE_DUPLICATE'
  | 'SCHEDULE_NOT_FOUND'
  | 'SCHEDULE_RUNNING'
  | 'SCHEDULE_BAD_VALUE';

/** Every failure of the schedule: the message says what to do. */
export class ScheduleError extends CodedError<ScheduleErrorCode> {}
