import { CodedError } from '../vocabulary/coded-error.ts';

export type McpErrorCode =
  | 'MCP_CONFIG'
  | 'MCP_UNKNOWN_SERVER'
  | 'MCP_EXISTS'
  | 'MCP_UNREACHABLE'
  | 'MCP_TIMEOUT'
  | 'MCP_SIGN_IN'
  | 'MCP_FAILED';

/** Every failure around a server: the message says what to do and holds no secret. */
export class McpError extends CodedError<McpErrorCode> {}
