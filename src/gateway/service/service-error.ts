import { CodedError } from '../../vocabulary/coded-error.ts';
export type ServiceErrorCode =
  | 'GATEWAY_RUNNING'
  | 'GATEWAY_NOT_RUNNING'
  | 'GATEWAY_NOT_ANSWERING'
  | 'GATEWAY_START_FAILED'
  | 'GATEWAY_STATE_DAMAGED'
  /** The running gateway said no. */
  | 'GATEWAY_REFUSED'
  /** It tried and could not. */
  | 'GATEWAY_FAILED';

/** Every failure of the service: the message says what to do. */
export class ServiceError extends CodedError<ServiceErrorCode> {}

export const HOW_TO_START = 'start it with "lainclaw gateway start --daemon"';
