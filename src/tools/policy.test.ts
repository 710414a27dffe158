import { describe, expect, it } from 'vitest';
import type { Scope } from './permissions/decision.ts';
import { parseRules } from './permissions/permissions-file.ts';
import { NOTHING_REMEMBERED } from './permissions/remembered.ts';
import type { ParsedRules } from './permissions/rules.ts';
import type { PermissionStore } from './permissions/store.ts';
import { type Approval, createPolicy, type Decision, type PermissionQuestion } from './policy.ts';
import { noSubject } from './subject.ts';
import type { ToolArgs, ToolContext, ToolSpec } from './tool.ts';

const places = { workspaceRoot: '/w', userHome: '/u', lainclawHome: '/u/.lainclaw' };

const spec = (name: string, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  inputSchema: { type: 'object', properties: {}, additionalProperties: true },
  effect: 'exec',
  requiresPermission: true,
  timeoutMs: 1_000,
  subject: noSubject,
  execute: async () => ({ data: null }),
  ...more,
});
const BASH = spec('bash', {
  rules: { pattern: 'command' },
  subject: ({ command, cwd }) => ({
    kind: 'command',
    command: command as string,
    directory: cwd as string | undefined,
  }),
});

interface Given {
  approval?: Approval;
  rules?: object | string;
  /** What the person answers; absent: nobody is there. */
  answer?: Scope | 'no';
  tainted?: boolean;
  tool?: ToolSpec;
  args?: ToolArgs;
}

async function decideOn({ approval = 'ask', rules = {}, answer, tainted = false, tool = BASH, args }: Given) {
  const asked: PermissionQuestion[] = [];
  const kept: unknown[] = [];
  const text = typeof rules === 'string' ? rules : JSON.stringify({ version: 1, ...rules });
  const permissions: Pick<PermissionStore, 'rules' | 'remembered' | 'remember'> = {
    rules: async (): Promise<ParsedRules> => parseRules(text, [BASH, tool]),
    remembered: async () => NOTHING_REMEMBERED,
    remember: async (scope, remembered, turn) => void kept.push([scope, remembered, turn]),
  };
  const authorise = createPolicy({
    approval,
    permissions,
    sessionId: 'session-1',
    places,
    isTainted: () => tainted,
    ...(answer && {
      askPerson: async (question) => {
        asked.push(question);
        return answer === 'no' ? undefined : answer;
      },
    }),
  });
  const call = { id: 'c', name: tool.name, args: args ?? { command: 'touch x' }, source: 'model' as const };
  const decision: Decision = await authorise(tool, call, { signal: new AbortController().signal } as ToolContext);
  return { decision, asked, kept };
}

const refusal = (part: string): object => ({ allowed: false, message: expect.stringContaining(part) });

describe('a call that asks', () => {
  it('is put to the person, whose answer is kept for as long as they said', async () => {
    const rule = ['bash(touch x)'];
    const turn = { sessionId: 'session-1', tainted: false };
    for (const [answer, kept] of [
      ['once', []],
      ['session', [['session', rule, turn]]],
      ['always', [['always', rule, turn]]],
    ] as const)
      expect(await decideOn({ answer })).toMatchObject({ decision: { allowed: true }, kept, asked: [{}] });
    expect(await decideOn({ answer: 'no' })).toMatchObject({ decision: refusal('was not approved'), kept: [] });
  });

  it('is denied where nobody is, and told how to be allowed', async () => {
    const { decision } = await decideOn({});
    expect(decision).toMatchObject(refusal('--approve=auto'));
    expect(decision).toMatchObject(refusal('"bash(touch x)" to "allow"'));
  });

  it('is decided beforehand by auto and never, without asking anybody', async () => {
    expect(await decideOn({ approval: 'auto', answer: 'no' })).toMatchObject({
      decision: { allowed: true },
      asked: [],
    });
    expect(await decideOn({ approval: 'never', answer: 'once' })).toMatchObject({
      decision: refusal('--approve=never'),
      asked: [],
    });
  });

  it('shows the person what the tool would change', async () => {
    const preview = { summary: 's', text: '+line', paths: ['a'] };
    const tool = spec('file_edit', { effect: 'write', preview: async () => preview });
    const { asked } = await decideOn({ tool, args: { path: 'a' }, answer: 'once' });
    expect(asked).toMatchObject([{ preview }]);
  });
});

describe('what nobody is asked about', () => {
  it('is denied by a rule whatever was approved beforehand', async () => {
    const rules = { allow: ['bash'], deny: ['bash(touch *)'] };
    for (const approval of ['ask', 'auto', 'never'] as const)
      expect(await decideOn({ approval, rules, answer: 'once' })).toMatchObject({
        decision: refusal('denies'),
        asked: [],
      });
  });

  it('is everything, when the rules cannot be read', async () => {
    const read = spec('fs.read_file', { effect: 'read', requiresPermission: false });
    for (const tool of [BASH, read])
      expect(await decideOn({ tool, rules: '{', approval: 'auto', answer: 'once' })).toMatchObject({
        decision: refusal('nothing is allowed'),
        asked: [],
      });
  });

  it('is a command that only reads, also under never', async () => {
    expect(await decideOn({ approval: 'never', args: { command: 'git status' } })).toMatchObject({
      decision: { allowed: true },
    });
  });
});

describe('a tainted turn', () => {
  it('is approved by a person only', async () => {
    const tainted = true;
    expect((await decideOn({ tainted, approval: 'auto', rules: { allow: ['bash'] } })).decision).toMatchObject(
      refusal("needs a person's approval"),
    );
    // Said beforehand is said without knowing: also with a person there, auto does not approve it.
    expect((await decideOn({ tainted, approval: 'auto', answer: 'once' })).decision).toMatchObject({ allowed: false });
    const { decision, asked } = await decideOn({ tainted, answer: 'session' });
    expect(decision).toEqual({ allowed: true });
    expect(asked[0]?.verdict.scopes).toEqual(['once', 'session']);
  });
});

describe('where a command runs', () => {
  it('decides what its relative paths are', async () => {
    const args = { command: 'cat ../secret', cwd: 'sub' };
    expect((await decideOn({ args })).decision).toMatchObject({ allowed: true });
    expect((await decideOn({ args: { ...args, cwd: '.' } })).decision).toMatchObject({ allowed: false });
  });
});
