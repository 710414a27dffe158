import { describe, expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { createPermissionStore } from './permissions/store.ts';
import { noSubject } from './subject.ts';
import type { ToolSpec } from './tool.ts';
import type { TurnTools } from './toolbox.ts';
import { createToolbox, type ToolboxDependencies } from './toolbox.ts';

const askForm = async () => ({ action: 'decline' as const });

/** Whether a tool of this turn could put a form to somebody. */
async function canAsk(turn: Pick<TurnTools, 'mode' | 'askPerson'>): Promise<boolean> {
  let found = false;
  const spec: ToolSpec = {
    name: 'look',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    subject: noSubject,
    requiresPermission: false,
    timeoutMs: 10_000,
    async execute(_, context) {
      found = context.askForm === askForm;
      return { data: {} };
    },
  };
  // What a call without a session that says little does not touch.
  const untouched = {} as Pick<ToolboxDependencies, 'resultCache' | 'outputs' | 'sentFiles' | 'texts'>;
  const { resultCache } = untouched;
  const box = createToolbox({
    ...untouched,
    specs: [spec],
    workspace: { root: '/nowhere' } as ToolboxDependencies['workspace'],
    changes: () => ({ record: async () => {}, recordMade: async () => {}, applyTogether: async () => ({ ok: true }) }),
    now: () => 0,
    askPerson: async () => 'once',
    askForm,
    permissions: createPermissionStore({
      files: memoryOwnerFiles(),
      resultCache,
      tools: [{ name: 'look' }],
      workspaceRoot: '/nowhere',
    }),
    places: { userHome: '/home/x', lainclawHome: '/home/x/.lainclaw' },
    audit: async () => {},
    warn: () => {},
    onDefect: (_, error) => {
      throw error;
    },
  });
  const call = { id: 'c', name: 'look', args: {}, source: 'cli' as const };
  const executor = box.executor({ ...turn, who: 'owner', reader: OWNER, registry: box.visible(undefined) });
  const { result } = await executor.execute(call, new AbortController().signal);
  expect(result.ok).toBe(true);
  return found;
}

describe('a form', () => {
  it('is put to the person at the terminal who answers permission questions', async () => {
    expect(await canAsk({ mode: 'ask' })).toBe(true);
  });

  it('is put to nobody where permission is asked of nobody, or of somebody in a chat', async () => {
    expect(await canAsk({ mode: 'auto' })).toBe(false);
    expect(await canAsk({ mode: 'never' })).toBe(false);
    expect(await canAsk({ mode: 'ask', askPerson: async () => 'once' })).toBe(false);
  });
});
