// What a sub-agent is: a Markdown file whose front matter names it and whose text is its instructions.

export type AgentSource = 'builtin' | 'home' | 'workspace';

export interface AgentFacts {
  name: string;
  description: string;
  /** Names of tools; those its caller does not have stay out of reach whatever stands here. */
  tools: 'all' | readonly string[];
  /** Of the caller's provider; the caller's own without one. */
  model?: string;
}

export interface Agent extends AgentFacts {
  source: AgentSource;
  /** What it is told to be. */
  instructions: string;
  /** Of the file; absent for a built-in. */
  path?: string;
}

export interface AgentProblem {
  source: AgentSource;
  path: string;
  reason: string;
}
