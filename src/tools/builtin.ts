// Every built-in tool, one line each.

import { join } from 'node:path';
import type { Agents } from '../agents/agents.ts';
import type { Docs } from '../docs/docs.ts';
import type { SharedCoreMemory } from '../memory/core-memory.ts';
import type { SharedMemory } from '../memory/memory.ts';
import type { PastConversations } from '../memory/past-conversations.ts';
import { commandEnvironment } from '../sandbox/environment.ts';
import { protectedPaths } from '../sandbox/protected.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Skills } from '../skills/skills.ts';
import { createSubagentCancelTool } from './agents/cancel.ts';
import { createSubagentListTool } from './agents/list.ts';
import { createSubagentSpawnTool, type SpawnAgent } from './agents/spawn.ts';
import { createSubagentStatusTool } from './agents/status.ts';
import { createTaskTool } from './agents/task.ts';
import type { OpenAgentRuns } from './agents/visible-runs.ts';
import { createCodeExecuteTool } from './code/execute.ts';
import { createConfigGetTool } from './config/get.ts';
import { createConfigSetTool } from './config/set.ts';
import type { Settings } from './config/settings.ts';
import { createDocsListTool } from './docs/list.ts';
import { createDocsReadTool } from './docs/read.ts';
import { createDocsSearchTool } from './docs/search.ts';
import { createEchoTool } from './echo/echo.ts';
import { createApplyPatchTool } from './fs/apply-patch.ts';
import { createDeleteFileTool } from './fs/delete-file.ts';
import { createEditFileTool } from './fs/edit-file.ts';
import { createListDirTool } from './fs/list-dir.ts';
import { createMoveFileTool } from './fs/move-file.ts';
import { createReadFileTool } from './fs/read-file.ts';
import { createWriteFileTool, type LockAppend } from './fs/write-file.ts';
import { createSendMessageTool, type SendMessageDependencies } from './gateway/send-message.ts';
import { createHistorySearchTool } from './history/search.ts';
import { createCoreDeleteTool } from './memory/core-delete.ts';
import { createCoreGetTool } from './memory/core-get.ts';
import { createCoreUpdateTool } from './memory/core-update.ts';
import { createMemoryForgetTool, type ForgetMore } from './memory/forget.ts';
import { createMemorySaveTool } from './memory/save.ts';
import { createMemorySearchTool } from './memory/search.ts';
import type { OwnContent } from './own-content.ts';
import { createAskUserTool } from './person/ask-user.ts';
import { createPlanReadyTool } from './plan/ready.ts';
import { createTodoTool } from './plan/todo.ts';
import { createScheduleAddTool, type ScheduleAddDependencies } from './schedule/add.ts';
import { createScheduleDisableTool } from './schedule/disable.ts';
import { createScheduleEditTool } from './schedule/edit.ts';
import { createScheduleEnableTool } from './schedule/enable.ts';
import { createScheduleListTool } from './schedule/list.ts';
import { createScheduleRemoveTool } from './schedule/remove.ts';
import { createGlobTool } from './search/glob.ts';
import { createGrepTool } from './search/grep.ts';
import { createBashTool } from './shell/bash.ts';
import type { CommandRecords } from './shell/command-records.ts';
import type { CommandSettings } from './shell/command-settings.ts';
import { createProcessTool } from './shell/process.ts';
import { createPwdTool } from './shell/pwd.ts';
import { createSkillListTool } from './skills/list.ts';
import { createSkillLoadTool } from './skills/load.ts';
import { createCurrentTimeTool } from './time/current.ts';
import { createTimeNowTool } from './time/now.ts';
import type { ToolSpec } from './tool.ts';
import { createToolCallTool } from './unfold/call.ts';
import { createToolSearchTool } from './unfold/search.ts';
import { createWebFetchTool } from './web/fetch.ts';

export interface BuiltinToolsDependencies extends ScheduleAddDependencies, OwnContent {
  systemTimezone(): string;
  docs(): Promise<Docs>;
  memory(): Promise<SharedMemory>;
  pastConversations(): Promise<PastConversations>;
  coreMemory(): Promise<SharedCoreMemory>;
  forgetMore: ForgetMore;
  skills(): Promise<Skills>;
  agents(): Promise<Agents>;
  spawnAgent: SpawnAgent;
  agentRuns: OpenAgentRuns;
  /** Of what file_write may leave; 1 MiB by default. */
  maxFileSizeBytes?: number;
  /** Without it, sessions do not wait for each other when they append to one file. */
  lockAppend?: LockAppend;
  /** Of config.json. */
  settings: Settings;
  /** The strongest there is here. */
  sandbox(): Promise<Sandbox>;
  /** What workspaces had before the commands that run now. */
  commandRecords?(): Promise<CommandRecords>;
  variables: Readonly<Record<string, string | undefined>>;
  userHome: string;
  /** Lainclaw's own. */
  home: string;
  sendMessage: SendMessageDependencies['send'];
  /** What the owner's settings say about commands and code. */
  commandSettings?: { bash: CommandSettings; code: CommandSettings };
}

export function createBuiltinTools(dependencies: BuiltinToolsDependencies): ToolSpec[] {
  const {
    systemTimezone,
    docs,
    memory,
    pastConversations,
    coreMemory,
    forgetMore,
    skills,
    agents,
    spawnAgent,
    agentRuns,
    schedule,
    isGatewayRunning,
    answerProblem,
    maxFileSizeBytes,
    lockAppend,
    settings,
    sandbox,
    variables,
    userHome,
    home,
    commandSettings,
    isTrusted,
    isOwnSkill,
  } = dependencies;
  const environment = commandEnvironment(variables);
  return [
    createTimeNowTool(),
    createCurrentTimeTool({ systemTimezone }),
    createEchoTool(),
    createPlanReadyTool(),
    createTodoTool(),
    createAskUserTool(),
    createPwdTool(),
    createListDirTool(),
    createReadFileTool(),
    createWriteFileTool({ maxFileSizeBytes, lockAppend }),
    createEditFileTool(),
    createApplyPatchTool(),
    createMoveFileTool(),
    createDeleteFileTool(),
    createGrepTool(),
    createGlobTool(),
    createBashTool({
      sandbox,
      environment,
      protectedPaths: (workspace) => protectedPaths({ workspace, userHome, lainclawHome: home }),
      settings: commandSettings?.bash,
      commandRecords: dependencies.commandRecords,
    }),
    createProcessTool(),
    createCodeExecuteTool({
      sandbox,
      environment,
      skillFolders: [join(home, 'skills')],
      settings: commandSettings?.code,
    }),
    createWebFetchTool({ privateHosts: commandSettings?.bash.privateHosts }),
    createMemorySearchTool({ memory, systemTimezone }),
    createHistorySearchTool({ pastConversations, systemTimezone }),
    createMemorySaveTool({ memory }),
    createMemoryForgetTool({ memory, forgetMore }),
    createCoreGetTool({ coreMemory }),
    createCoreUpdateTool({ coreMemory }),
    createCoreDeleteTool({ coreMemory }),
    createDocsSearchTool({ docs }),
    createDocsReadTool({ docs }),
    createDocsListTool({ docs }),
    createSkillListTool({ skills, isOwnSkill }),
    createSkillLoadTool({ skills, isOwnSkill }),
    createScheduleListTool({ schedule }),
    createScheduleAddTool({ schedule, isGatewayRunning, answerProblem }),
    createScheduleRemoveTool({ schedule }),
    createScheduleEditTool({ schedule }),
    createScheduleEnableTool({ schedule }),
    createScheduleDisableTool({ schedule }),
    createTaskTool({ agents, isTrusted }),
    createSubagentListTool({ agentRuns }),
    createSubagentStatusTool({ agentRuns }),
    createSubagentCancelTool({ agentRuns }),
    createSubagentSpawnTool({ spawn: spawnAgent, answerProblem, isGatewayRunning }),
    createSendMessageTool({ send: dependencies.sendMessage }),
    createConfigGetTool({ settings }),
    createConfigSetTool({ settings }),
    createToolSearchTool(),
    createToolCallTool(),
  ];
}
