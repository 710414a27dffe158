import { CodedError } from '../vocabulary/coded-error.ts';
/** The command could not be done: exit code 1. */
export class CommandError extends CodedError {}
