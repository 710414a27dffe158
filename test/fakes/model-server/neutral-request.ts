// What a client asked for, told the same way whatever dialect it spoke.

/** `codex` is the Responses API as the ChatGPT backend serves it to subscribers. */
export type Dialect = 'responses' | 'codex' | 'chat' | 'messages';

export interface NeutralToolCall {
  id: string;
  name: string;
  /** The arguments as JSON text. */
  args: string;
}

export type NeutralMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; toolCalls: NeutralToolCall[] }
  | { role: 'tool'; callId: string; text: string; isError: boolean };

export interface NeutralTool {
  name: string;
  description: string;
  /** Undefined for a tool that takes no JSON arguments. */
  schema: unknown;
  strict: boolean;
}

export interface NeutralRequest {
  dialect: Dialect;
  model: string;
  /** Everything said in the system or developer role, in order. */
  system: string[];
  messages: NeutralMessage[];
  /** What the last message ends with and the next request will not have: see turn-note.ts. */
  note?: string;
  tools: NeutralTool[];
  stream: boolean;
  /** The body as it was sent. */
  raw: Record<string, unknown>;
}
