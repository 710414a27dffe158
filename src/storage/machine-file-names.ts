/** Settings that a person writes for one machine, and what is known about that machine: they stay there wherever the records are. */
export const FILES_OF_MACHINE: ReadonlySet<string> = new Set([
  'config.json',
  // Audit log and outputs are in each home: what one machine has forgotten there, another one has not.
  'forgetting.json',
  'gateway.json',
  'mcp.json',
  'mcp-token',
  'mcp-tools.json',
  'memory-model.json',
  'model-limits.json',
  'permissions.json',
  'tainted-files.json',
  'unfinished-undos.json',
]);
