import { CodedError } from '../vocabulary/coded-error.ts';

export type AgentErrorCode = 'AGENT_NOT_FOUND' | 'AGENT_INVALID' | 'AGENT_RUN_NOT_FOUND' | 'AGENT_RUN_ENDED';

/** Every failure of sub-agents: the message says what to do. */
export class AgentError extends CodedError<AgentErrorCode> {}
