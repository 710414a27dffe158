import { CodedError } from './coded-error.ts';

/** What was asked for is not for the person who asked. `reason` completes "this is …": "for the owner". */
export class NotAllowed extends CodedError<'NOT_ALLOWED'> {
  readonly reason: string;

  constructor(subject: string, reason: string) {
    super('NOT_ALLOWED', `${subject} is ${reason}`);
    this.reason = reason;
  }
}
