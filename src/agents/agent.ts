// A sub-agent is a Markdown file: the front matter names it, the text is its instructions.

export type AgentSource = 'builtin' | 'home' | 'workspace';

export interface AgentFacts {
  name: string;
  description: string;
  /** Names of tools. A sub-agent never gets a tool that its caller does not have. */
  tools: 'all' | readonly string[];
  /** A model of the caller's provider, or provider/model; by default the caller's model. */
  model?: string;
}

export interface Agent extends AgentFacts {
  source: AgentSource;
  /** The system prompt of the sub-agent. */
  instructions: string;
  /** Path of the file; absent for a built-in sub-agent. */
  path?: string;
}

export interface AgentProblem {
  source: AgentSource;
  path: string;
  reason: string;
}
