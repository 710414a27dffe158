// The definitions of sub-agents: built in, from `<home>/agents/*.md` and from `<workspace>/.lainclaw/agents/*.md`; a later
// one replaces an earlier one of the same name, also where the case of letters differs. Every call reads the disk. An unusable file becomes a problem with its
// reason and is never fatal.
import type { FileHandle } from 'node:fs/promises';
import { findByName, foldedName, slugOf } from '../lib/given-name.ts';
import { nearest } from '../lib/nearest.ts';
import { unlessRefused } from '../vocabulary/unless-refused.ts';
import type { Agent, AgentProblem, AgentSource } from './agent.ts';
import { AgentError } from './agent-error.ts';
import { BUILT_IN_AGENTS } from './built-in.ts';
import { MAX_AGENT_BYTES, readDefinition } from './definition.ts';

const MAX_FILES = 200;

/** The part of a confined workspace that definitions are read through; no path ever leads out of it. */
export interface ConfinedFiles {
  readonly root: string;
  openFile(path: string, signal?: AbortSignal): Promise<{ handle: FileHandle; path: string; size: number }>;
  list(
    path: string,
    options: { recursive: boolean; maxDepth: number; maxEntries: number; signal?: AbortSignal },
  ): Promise<{ path: string; entries: { path: string; type: string }[] }>;
}

export interface AgentsAt {
  workspace: ConfinedFiles;
  signal?: AbortSignal;
}

export interface Agents {
  /** Sorted by name. Never rejects because of the content of a file. */
  list(at: AgentsAt): Promise<{ agents: Agent[]; problems: AgentProblem[] }>;
  /** Rejects with AgentError: not found (suggests the nearest name, or all) or invalid (says why). */
  get(name: string, at: AgentsAt): Promise<Agent>;
}

/** `home` opens `<home>/agents`; it may reject when that does not exist. */
export function createAgents({ home }: { home(): Promise<ConfinedFiles> }): Agents {
  async function list({ workspace, signal }: AgentsAt): Promise<{ agents: Agent[]; problems: AgentProblem[] }> {
    const agents = new Map(BUILT_IN_AGENTS.map((agent) => [foldedName(agent.name), agent]));
    const problems: AgentProblem[] = [];
    const own = await unlessRefused(home(), signal);
    const places = [
      ...('reason' in own ? [] : [{ source: 'home' as const, files: own, folder: '.' }]),
      { source: 'workspace' as const, files: workspace, folder: '.lainclaw/agents' },
    ];
    if ('reason' in own && !own.absent) problems.push({ source: 'home', path: 'agents', reason: own.reason });
    for (const place of places) {
      const found = await readFolder(place, signal);
      problems.push(...found.problems);
      for (const agent of found.agents) agents.set(foldedName(agent.name), agent);
    }
    return { agents: [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
  }

  return {
    list,
    async get(name, at) {
      const { agents, problems } = await list(at);
      const found = findByName(agents, name);
      if (found) return found;
      const files = [name, slugOf(name)].map((each) => `/${each}.md`);
      const broken = problems.find(({ path }) => files.some((file) => `/${path}`.endsWith(file)));
      if (broken) throw new AgentError('AGENT_INVALID', `the sub-agent "${name}" cannot be used: ${broken.reason}`);
      const names = agents.map((agent) => agent.name);
      const near = nearest(name.slice(0, 100), names);
      const hint = near ? ` (did you mean ${near}?)` : `; there is ${names.join(', ')}`;
      throw new AgentError('AGENT_NOT_FOUND', `there is no sub-agent "${name.slice(0, 100)}"${hint}`);
    },
  };
}

interface Place {
  source: AgentSource;
  files: ConfinedFiles;
  folder: string;
}

async function readFolder(
  { source, files, folder }: Place,
  signal: AbortSignal | undefined,
): Promise<{ agents: Agent[]; problems: AgentProblem[] }> {
  const agents: Agent[] = [];
  const problems: AgentProblem[] = [];
  const listing = await unlessRefused(
    files.list(folder, { recursive: false, maxDepth: 1, maxEntries: MAX_FILES, signal }),
    signal,
  );
  if ('reason' in listing) {
    if (!listing.absent) problems.push({ source, path: folder, reason: listing.reason });
    return { agents, problems };
  }
  for (const { path: name, type } of listing.entries) {
    if (!name.endsWith('.md') || type === 'directory') continue;
    const path = folder === '.' ? name : `${folder}/${name}`;
    const shown = source === 'home' ? `${files.root}/${path}` : path;
    const read = await readFile(files, path, signal);
    if ('reason' in read) {
      problems.push({ source, path: shown, reason: read.reason });
      continue;
    }
    const definition = await readDefinition(read);
    if (!definition.ok) problems.push({ source, path: shown, reason: definition.reason });
    else agents.push({ ...definition.facts, instructions: definition.instructions, source, path: shown });
  }
  return { agents, problems };
}

async function readFile(
  files: ConfinedFiles,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Buffer | { reason: string }> {
  const opened = await unlessRefused(files.openFile(path, signal), signal);
  if ('reason' in opened) return opened;
  try {
    if (opened.path !== path) return { reason: 'it is reached through a symbolic link: copy the file here' };
    const buffer = Buffer.alloc(MAX_AGENT_BYTES + 1);
    const { bytesRead } = await opened.handle.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await opened.handle.close();
  }
}
