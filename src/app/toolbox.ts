// The tools, with everything they stand on.

import type { AskForm } from '../mcp/elicitation.ts';
import type { BuiltinToolsDependencies } from '../tools/builtin.ts';
import { createBuiltinTools } from '../tools/builtin.ts';
import { loadToolTexts } from '../tools/languages/language.ts';
import { createMcpTools } from '../tools/mcp/tools.ts';
import { createPermissionStore } from '../tools/permissions/store.ts';
import type { AskPerson } from '../tools/policy.ts';
import { createToolbox, type Toolbox } from '../tools/toolbox.ts';
import type { Changes } from '../undo/changes.ts';
import type { Base } from './base.ts';
import type { Domain } from './domain.ts';

/** How the tools are used in this process. */
export interface ToolboxUse {
  askPerson?: AskPerson;
  askForm?: AskForm;
  ownToolsOnly?: boolean;
  /** Called when a background run is queued. */
  onQueued(): void;
}

/** What the tools reach through the gateway. */
export type ToolServices = Pick<
  BuiltinToolsDependencies,
  'schedule' | 'isGatewayRunning' | 'answerProblem' | 'sendMessage'
>;

/** With our own tools; those of MCP servers come with its `refresh`. */
export async function openToolbox(
  base: Base,
  domain: Domain,
  service: ToolServices,
  use: ToolboxUse,
): Promise<Toolbox> {
  const { config, storage, userHome, baseUrl, now, newId, systemTimezone, warn } = base;
  const { home, variables } = base.environment;
  const { resultCache, outputs, ownerFiles } = storage;
  const mcpTools = createMcpTools({
    source: () => ownerFiles.read('mcp.json'),
    servers: async () => (await domain.mcp()).servers,
    warn,
    now,
  });
  const spawnAgent: BuiltinToolsDependencies['spawnAgent'] = async (agent) => {
    const { spawnAgent: spawn } = await import('../agents/spawn.ts');
    const [workspace, agents, runs] = await Promise.all([domain.workspace(), domain.agents(), storage.agentRuns()]);
    const definition = async (name: string) =>
      (await agents.list({ workspace })).agents.find((each) => each.name === name);
    const spawned = await spawn(agent, { runs, definition, workspace: workspace.root, baseUrl, now, newId });
    use.onQueued();
    return spawned;
  };
  const specs = createBuiltinTools({
    systemTimezone,
    maxFileSizeBytes: config.maxFileSizeBytes,
    ...domain,
    spawnAgent,
    ...service,
    variables,
    userHome,
    home,
    outputs,
  });
  return createToolbox({
    specs,
    moreTools: use.ownToolsOnly ? undefined : mcpTools,
    workspace: await domain.workspace(),
    resultCache,
    outputs,
    changes: ({ sessionId = 'cli', turnId = newId('turn'), root }): Changes => ({
      record: async (change) => (await domain.undo()).record({ sessionId, turnId, root }, [change]),
      recordMade: async ({ changes, notCovered }) =>
        (await domain.undo()).record({ sessionId, turnId, root }, changes, notCovered),
    }),
    texts: () => loadToolTexts(config.language),
    now,
    askPerson: use.askPerson,
    askForm: use.askForm,
    permissions: createPermissionStore({ files: ownerFiles, resultCache, tools: specs }),
    places: { userHome, lainclawHome: home },
    onDefect: (call, error) =>
      warn(`${call.name} failed unexpectedly: ${error instanceof Error ? error.stack : error}`),
  });
}
