// Every operation, for readers that offer all of them: the HTTP API, the documentation. A command imports the one it needs.
import * as agents from './agents.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import * as backup from './backup.ts';
import * as chat from './chat.ts';
import * as config from './config.ts';
import * as consoleAccess from './console.ts';
import * as coreMemory from './core-memory.ts';
import * as docs from './docs.ts';
import * as doctor from './doctor.ts';
import * as folders from './folders.ts';
import * as forgetEverywhere from './forget-everywhere.ts';
import * as gateway from './gateway.ts';
import * as gatewayConfig from './gateway-config.ts';
import * as gatewayRestart from './gateway-restart.ts';
import * as mcp from './mcp.ts';
import * as memory from './memory.ts';
import * as memoryFacts from './memory-facts.ts';
import * as memoryModels from './memory-models.ts';
import * as memoryOverview from './memory-overview.ts';
import * as models from './models.ts';
import type { Operation } from './operation.ts';
import * as pairing from './pairing.ts';
import * as permissions from './permissions.ts';
import * as processes from './processes.ts';
import * as schedule from './schedule.ts';
import * as scheduleEdit from './schedule-edit.ts';
import * as selftest from './selftest.ts';
import * as sessionChanges from './session-changes.ts';
import * as sessionExport from './session-export.ts';
import * as sessionReplay from './session-replay.ts';
import * as sessions from './sessions.ts';
import * as setup from './setup.ts';
import * as setupChannel from './setup-channel.ts';
import * as setupReuse from './setup-reuse.ts';
import * as setupSearch from './setup-search.ts';
import * as signIn from './sign-in.ts';
import * as skills from './skills.ts';
import * as startTurn from './start-turn.ts';
import * as store from './store.ts';
import * as tools from './tools.ts';
import * as trust from './trust.ts';
import * as turns from './turns.ts';
import * as undo from './undo.ts';
import * as usage from './usage.ts';

const NOUNS = [
  agents,
  audit,
  apiKeys,
  backup,
  chat,
  config,
  consoleAccess,
  coreMemory,
  docs,
  doctor,
  selftest,
  forgetEverywhere,
  folders,
  gateway,
  gatewayConfig,
  gatewayRestart,
  mcp,
  memory,
  memoryFacts,
  memoryModels,
  memoryOverview,
  models,
  pairing,
  permissions,
  processes,
  schedule,
  scheduleEdit,
  sessionChanges,
  sessionExport,
  sessionReplay,
  sessions,
  setup,
  setupChannel,
  setupReuse,
  setupSearch,
  signIn,
  skills,
  startTurn,
  store,
  tools,
  trust,
  turns,
  undo,
  usage,
];

export const OPERATIONS: readonly Operation[] = NOUNS.flatMap((noun) =>
  Object.values(noun).filter(isOperation),
).toSorted((one, other) => (one.name < other.name ? -1 : 1));

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'run' in value && 'class' in value;
}
