import { expect, it } from 'vitest';
import { createNone } from '../../sandbox/none.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ToolContext } from '../tool.ts';
import { createCodeExecuteTool } from './execute.ts';

const none = (because?: Sandbox['because']): Sandbox =>
  createNone({ temporary: '/nowhere', newId: (prefix) => prefix, because });
const REFUSED = { reason: 'user namespaces are not permitted', fix: 'start the container with --privileged' };

it.each([
  [
    'bubblewrap is refused',
    none(REFUSED),
    /bubblewrap does not work here \(user namespaces are not permitted\): start the container/,
  ],
  ['it is switched off', none(), /it is switched off: lainclaw config set sandbox auto/],
  [
    'nothing bounds the processes',
    {
      ...none(),
      name: 'bubblewrap' as const,
      isolates: true,
      available: async () => ({ ok: true as const, limits: { memory: 'tree' as const, processes: 'none' as const } }),
    },
    /bubblewrap cannot limit here how many processes/,
  ],
])('where %s, that is the reason that it gives, and no code runs', async (_what, sandbox, reason) => {
  const tool = createCodeExecuteTool({ sandbox: async () => sandbox, environment: {}, skillFolders: [] });
  expect(await tool.unavailable?.()).toMatch(reason);
  const args = { language: 'bash', code: 'true', timeoutMs: 1_000 };
  await expect(tool.execute(args, {} as ToolContext)).rejects.toThrow(reason);
});
