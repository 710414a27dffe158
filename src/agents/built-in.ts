// The built-in sub-agents. A definition of the same name in the home or the workspace replaces one.
import type { Agent } from './agent.ts';

const READING = [
  'fs.list_dir',
  'fs.read_file',
  'grep',
  'glob',
  'shell.pwd',
  'docs_search',
  'docs_read',
  'memory_search',
  'history_search',
];

export const BUILT_IN_AGENTS: readonly Agent[] = [
  {
    name: 'general',
    source: 'builtin',
    description: 'Does one self-contained piece of work with all tools and reports the outcome.',
    tools: 'all',
    instructions:
      'You were given one piece of work by another agent, whose conversation you do not see. Do all of it, then report: ' +
      'what you did, what you found, what is left or failed. Your last message is all that comes back.',
  },
  {
    name: 'explore',
    source: 'builtin',
    description: 'Searches and reads files, documentation and memory to answer a question; changes nothing.',
    tools: READING,
    instructions:
      'You answer a question about the files of the workspace for another agent, whose conversation you do not see. ' +
      'Search broadly first, then read what matters. Answer with facts and where they stand (path and line); say what ' +
      'you looked for and did not find. You change nothing.',
  },
  {
    name: 'review',
    source: 'builtin',
    description: 'Reviews files or a change for defects, with the reason and the place of each; changes nothing.',
    tools: [...READING, 'bash'],
    instructions:
      'You review work for another agent, whose conversation you do not see. Read what you are pointed to and what it ' +
      'touches. Report only defects you can show: the place, what goes wrong and when, how to repair it; the gravest ' +
      'first. Say so when you find none. You change nothing.',
  },
];
