import { describe, expect, it } from 'vitest';
import { MODES, type Mode } from '../config/mode.ts';
import type { Scope } from './permissions/decision.ts';
import { createTurnMode } from './permissions/mode.ts';
import { parseRules } from './permissions/permissions-file.ts';
import { NOTHING_REMEMBERED } from './permissions/remembered.ts';
import type { ParsedRules } from './permissions/rules.ts';
import type { PermissionStore } from './permissions/store.ts';
import { createPolicy, type Decision, type PermissionQuestion } from './policy.ts';
import { noSubject } from './subject.ts';
import { createTaint } from './taint.ts';
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
  mode?: Mode;
  /** What runs is in a sandbox without network. */
  isContained?: boolean;
  rules?: object | string;
  /** What the person answers; absent: nobody is there. */
  answer?: Scope | 'no';
  tainted?: boolean;
  tool?: ToolSpec;
  args?: ToolArgs;
}

async function decideOn({
  mode = 'ask',
  rules = {},
  answer,
  tainted = false,
  isContained = false,
  tool = BASH,
  args,
}: Given) {
  const asked: PermissionQuestion[] = [];
  const kept: unknown[] = [];
  const text = typeof rules === 'string' ? rules : JSON.stringify({ version: 1, ...rules });
  const permissions: Pick<PermissionStore, 'rules' | 'remembered' | 'remember'> = {
    rules: async (): Promise<ParsedRules> => parseRules(text, [BASH, tool]),
    remembered: async () => NOTHING_REMEMBERED,
    remember: async (scope, remembered, turn) => void kept.push([scope, remembered, turn]),
  };
  const turnMode = createTurnMode(mode);
  const authorise = createPolicy({
    mode: turnMode,
    permissions,
    sessionId: 'session-1',
    places,
    taint: createTaint(tainted ? ['mcp:files'] : []),
    ...(answer && {
      askPerson: async (question) => {
        asked.push(question);
        return answer === 'no' ? undefined : answer;
      },
    }),
  });
  const call = { id: 'c', name: tool.name, args: args ?? { command: 'touch x' }, source: 'model' as const };
  const decision: Decision = await authorise({ ...tool, isContained: async () => isContained }, call, {
    signal: new AbortController().signal,
  } as ToolContext);
  return { decision, asked, kept, modeAfter: turnMode.current() };
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

  it('is denied where nobody is, with what would allow it', async () => {
    const { decision } = await decideOn({});
    expect(decision).toMatchObject(refusal('--mode auto'));
    expect(decision).toMatchObject(refusal("lainclaw permissions add 'bash(touch x)'"));
  });

  it('is decided beforehand by auto and never, without asking anybody', async () => {
    expect(await decideOn({ mode: 'auto', answer: 'no' })).toMatchObject({
      decision: { allowed: true },
      asked: [],
    });
    expect(await decideOn({ mode: 'never', answer: 'once' })).toMatchObject({
      decision: refusal('mode never'),
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
    for (const mode of MODES)
      expect(await decideOn({ mode, rules, answer: 'once' })).toMatchObject({
        decision: refusal('denies'),
        asked: [],
      });
  });

  it('is everything, when the rules cannot be read', async () => {
    const read = spec('fs.read_file', { effect: 'read', requiresPermission: false });
    for (const tool of [BASH, read])
      expect(await decideOn({ tool, rules: '{', mode: 'auto', answer: 'once' })).toMatchObject({
        decision: refusal('nothing is allowed'),
        asked: [],
      });
  });

  it('is a command that only reads, also under never', async () => {
    expect(await decideOn({ mode: 'never', args: { command: 'git status' } })).toMatchObject({
      decision: { allowed: true },
    });
  });
});

describe('a tainted turn', () => {
  const tainted = true;

  it('asks a person about what could leave, in every mode, and names the source and the ways out', async () => {
    for (const mode of ['ask', 'accept-edits', 'auto'] as const) {
      const alone = await decideOn({ tainted, mode, rules: { allow: ['bash'] } });
      expect(alone.decision).toMatchObject(refusal('the MCP server "files"'));
      expect(alone.decision).toMatchObject(refusal('lainclaw mcp trust files'));
      const { decision, asked } = await decideOn({ tainted, mode, answer: 'session' });
      expect(decision).toMatchObject({ allowed: true, answer: 'session' });
      expect(asked[0]?.verdict.scopes).toEqual(['once', 'session']);
      expect(asked[0]?.verdict.reasons.join()).toContain('the MCP server "files"');
    }
  });

  it('treats what is contained as any other turn does', async () => {
    const contained = { tainted, isContained: true };
    expect(await decideOn({ ...contained, mode: 'auto' })).toMatchObject({ decision: { allowed: true }, asked: [] });
    expect(await decideOn({ ...contained, rules: { allow: ['bash'] } })).toMatchObject({ decision: { allowed: true } });
    const { asked } = await decideOn({ ...contained, answer: 'always' });
    expect(asked[0]?.verdict.scopes).toEqual(['once', 'session', 'always']);
  });
});

describe('a plan', () => {
  const PLAN = spec('plan_ready', {
    effect: 'read',
    requiresPermission: false,
    subject: ({ plan }) => ({ kind: 'plan', plan: plan as string }),
  });

  it('is put to a person, whose answer says in which mode the work continues', async () => {
    for (const [answer, after] of [
      ['once', 'ask'],
      ['session', 'accept-edits'],
      ['always', 'auto'],
      ['no', 'plan'],
    ] as const) {
      const decided = await decideOn({ mode: 'plan', tool: PLAN, args: { plan: '1. do it' }, answer });
      expect(decided).toMatchObject({ decision: { allowed: answer !== 'no' }, modeAfter: after, kept: [] });
      expect(decided.asked).toMatchObject([{ verdict: { question: { exact: '1. do it' } } }]);
    }
  });

  it('where nobody is becomes the answer; nothing else than reading runs before', async () => {
    expect((await decideOn({ mode: 'plan', tool: PLAN, args: { plan: 'x' } })).decision).toMatchObject(
      refusal('give it as your answer'),
    );
    for (const answer of ['always', undefined] as const)
      expect(await decideOn({ mode: 'plan', answer, rules: { allow: ['bash'] } })).toMatchObject({
        decision: refusal('plan mode only reads'),
        asked: [],
      });
    expect(await decideOn({ mode: 'plan', args: { command: 'git log' } })).toMatchObject({
      decision: { allowed: true },
    });
  });
});

describe('where a command runs', () => {
  it('decides what its relative paths are', async () => {
    const args = { command: 'cat ../secret', cwd: 'sub' };
    expect((await decideOn({ args })).decision).toMatchObject({ allowed: true });
    expect((await decideOn({ args: { ...args, cwd: '.' } })).decision).toMatchObject({ allowed: false });
  });
});
