// What `doctor` says of the owner's files of settings beside config.json: only what is wrong with them. A file that is damaged is
// named once, among the files.
import type { Runtime } from '../runtime/runtime.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { type Check, checkOf, saidBy } from './doctor-texts.ts';
import { withWorkspace } from './with-workspace.ts';

/** Each is read as the part of the program reads it that uses it. */
const READERS: Readonly<Record<string, { name: string; read(runtime: Runtime): Promise<unknown> }>> = {
  'gateway.json': { name: 'gateway', read: async ({ gatewayAdmin }) => (await gatewayAdmin()).settingsFile.read() },
  'mcp.json': { name: 'mcp', read: async ({ mcp }) => (await mcp()).config.read() },
  'permissions.json': { name: 'permissions', read: readPermissions },
};

export async function settingsFileChecks(runtime: Runtime, files: readonly Check[]): Promise<Check[]> {
  const isNamed = (path: string): boolean =>
    files.some(({ state, advice, finding }) => {
      return state === 'problem' && advice?.code !== 'private' && finding.values.path === path;
    });
  const checks = Object.entries(READERS).map(async ([file, { name, read }]) => {
    if (isNamed(file)) return [];
    try {
      await read(runtime);
      return [];
    } catch (error) {
      return [checkOf(name, 'problem', saidBy(error), ['edit-file', { file }])];
    }
  });
  return (await Promise.all(checks)).flat();
}

async function readPermissions(runtime: Runtime): Promise<void> {
  const read = withWorkspace(runtime, {}, async ({ toolbox }) => (await toolbox()).permissions.file());
  // Why a workspace does not open, its own check says.
  const parsed = await read.catch(() => undefined);
  if (parsed?.ok === false)
    throw new CodedError('INVALID_PERMISSIONS', `permissions.json: ${parsed.errors.join('; ')}`);
}
