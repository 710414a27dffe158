// Queues a background run with everything it needs to run later in another process.
import type { Language } from '../config/settings.ts';
import { normalName } from '../lib/given-name.ts';
import type { AgentRuns } from '../storage/agent-runs.ts';
import { type Asker, NOBODY } from '../vocabulary/asker.ts';
import { type TaintSource, taintSource } from '../vocabulary/taint-source.ts';
import type { Agent } from './agent.ts';

const SILENT = '{"silent": true, "reason": "…"}';

const BACKGROUND: Record<Language, string> = {
  en: `You work in the background: nobody reads along and nobody can answer you, so decide by yourself and do not ask. You see the last five messages of your own earlier runs, not the conversation you were started from. Your last message is what is reported. When there is nothing worth telling, answer exactly ${SILENT}.`,
  zh: `你在后台工作：没有人在看，也没有人能回答你，所以自己决定，不要提问。你只看到自己以前运行的最后五条消息，看不到启动你的对话。你的最后一条消息就是报告。没有值得说的内容时，只回答 ${SILENT}。`,
  ru: `Вы работаете в фоне: никто не читает вас сейчас и никто не может ответить, поэтому решайте сами и не спрашивайте. Вы видите последние пять сообщений своих прежних запусков, но не разговор, из которого вас запустили. Ваше последнее сообщение — это отчёт. Когда сообщить нечего, ответьте ровно ${SILENT}.`,
};

export interface SpawnRequest {
  name: string;
  message: string;
  model?: string;
  injectInto?: string;
  inherited: {
    provider: string;
    profileId?: string;
    model?: string;
    /** The tools that it may have at most. */
    tools: readonly string[];
    taintedBy: readonly TaintSource[];
    asker?: Asker;
  };
}

/** From what is kept with a run, also by an earlier version, which called it `marked`. Where nothing is said, it is tainted. */
export function readBackgroundRequest(text: string): BackgroundRequest {
  const { marked = true, ...request } = JSON.parse(text) as BackgroundRequest & { marked?: boolean };
  return { ...request, tainted: request.tainted ?? marked };
}

/** The request of a background run; stored as JSON with the run. */
export interface BackgroundRequest {
  provider: string;
  profileId?: string;
  model?: string;
  toolAllow: readonly string[];
  tainted: boolean;
  /** Where the content from outside came from. */
  taintedBy?: readonly TaintSource[];
  instructions: string;
  workspace: string;
  /** Address of an openai-compatible server. */
  baseUrl?: string;
}

export interface SpawnDependencies {
  runs: AgentRuns;
  /** The definition of this name; undefined when there is none. */
  definition(name: string): Promise<Agent | undefined>;
  workspace: string;
  /** Whether the person trusts a folder, and so the sub-agents that it defines. */
  isTrusted(folder: string): Promise<boolean>;
  baseUrl?: string;
  /** The language of what the sub-agent reads about its work; English by default. */
  language?: Language;
  now(): number;
  newId(prefix: string): string;
}

export async function spawnAgent(request: SpawnRequest, dependencies: SpawnDependencies): Promise<{ id: string }> {
  const { message, injectInto, inherited } = request;
  const { runs, definition, workspace, isTrusted, baseUrl, language = 'en', now, newId } = dependencies;
  const agent = await definition(request.name);
  // Its conversation is found by its name, so that is written in one way.
  const name = agent?.name ?? normalName(request.name);
  const isForeign = agent?.source === 'workspace' && !(await isTrusted(workspace));
  const taintedBy = [...inherited.taintedBy, ...(isForeign ? [taintSource('agent', name)] : [])];
  const tools = agent && agent.tools !== 'all' ? agent.tools : undefined;
  const asked: BackgroundRequest = {
    provider: inherited.provider,
    profileId: inherited.profileId,
    model: request.model ?? agent?.model ?? inherited.model,
    toolAllow: inherited.tools.filter((tool) => tools?.includes(tool) ?? true),
    tainted: taintedBy.length > 0,
    taintedBy,
    instructions: agent ? `${agent.instructions}\n\n${BACKGROUND[language]}` : BACKGROUND[language],
    workspace,
    baseUrl,
  };
  const id = newId('run');
  const { asker = NOBODY } = inherited;
  await runs.add({ id, name, message, injectInto, asker, request: JSON.stringify(asked) }, now());
  return { id };
}
