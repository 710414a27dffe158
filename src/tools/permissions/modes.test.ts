import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../test/corpora/commands.ts';
import { type Case, createDecider, type SPECS } from '../../../test/support/decide-fixture.ts';
import { MODES } from '../../config/mode.ts';
import type { ToolArgs } from '../tool.ts';
import { createCommandParser } from './parse-command.ts';

let decide: ReturnType<typeof createDecider>;
beforeAll(async () => {
  decide = createDecider({ parseCommand: await createCommandParser() });
});

type Tool = keyof typeof SPECS;
const PATHS = [
  'a.txt',
  'src/b.ts',
  'package.json',
  'Makefile',
  '.envrc',
  '.git/config',
  'x/HEAD',
  'x.git/hooks/post-checkout',
  'vendor/x/.git',
  '.gitattributes',
  '.gitmodules',
  '/tmp/x',
  'AGENTS.md',
  '../up',
];

const calls: fc.Arbitrary<[Tool, ToolArgs]> = fc.oneof(
  fc.constantFrom(...COMMANDS.map(({ command }) => command)).map((command): [Tool, ToolArgs] => ['bash', { command }]),
  fc.constantFrom(...PATHS).map((path): [Tool, ToolArgs] => ['write', { path, content: 'x' }]),
  fc.constantFrom(...PATHS).map((path): [Tool, ToolArgs] => ['edit', { path, oldText: 'a', newText: 'b' }]),
  fc.constantFrom(...PATHS).map((path): [Tool, ToolArgs] => ['read', { path }]),
  fc.constantFrom<[Tool, ToolArgs]>(
    ['send', { channel: 'telegram', chatId: '1', text: 'x' }],
    ['fetch', { url: 'https://example.com/?q=secret' }],
    ['remember', { content: 'x' }],
    ['mcp', { title: 'x' }],
    ['code', { code: '1' }],
    ['move', { from: 'a', to: '/etc/x' }],
  ),
);
const RULES = ['bash', 'file_write', 'file_edit', 'send_message', 'web_fetch', 'memory_save', 'mcp__*', 'code_execute'];
const cases: fc.Arbitrary<Case> = fc.record({
  allow: fc.subarray(RULES),
  ask: fc.subarray(RULES, { maxLength: 2 }),
  deny: fc.subarray(RULES, { maxLength: 1 }),
  tainted: fc.boolean(),
  isContained: fc.boolean(),
  mode: fc.constantFrom(...MODES),
});

/** Where the effect ends, by another way than the function under test: by the kind of call alone. */
const leaves = (tool: Tool, args: ToolArgs, isContained: boolean): boolean => {
  if (tool === 'bash' || tool === 'code') return !isContained;
  if (tool === 'write' || tool === 'edit') return !['a.txt', 'src/b.ts'].includes(args.path as string);
  return tool !== 'read';
};

describe('modes and taint', () => {
  it('a tainted turn does nothing that lasts or leaves unless a person says so, in every mode and with every rule', () => {
    fc.assert(
      fc.property(calls, cases, ([tool, args], given) => {
        const isContained = given.isContained === true && (tool === 'bash' || tool === 'code');
        const decision = decide(tool, args, { ...given, tainted: true, isContained });
        if (!leaves(tool, args, isContained) || (tool === 'bash' && !decision.changes)) return;
        expect(decision.verdict, `${tool} ${JSON.stringify(args)}`).not.toBe('allow');
        if (decision.verdict === 'ask')
          expect([decision.needsPerson, decision.reasons.join()]).toEqual([true, expect.stringContaining('"x"')]);
      }),
      { numRuns: 4_000 },
    );
  });

  it('what is contained is decided in a tainted turn as in any other', () => {
    fc.assert(
      fc.property(calls, cases, ([tool, args], given) => {
        fc.pre(
          !leaves(tool, args, true) &&
            (tool !== 'bash' || !/package\.json|[Mm]akefile|AGENTS|\.env|config\.[jt]s/.test(String(args.command))),
        );
        const contained = { ...given, isContained: true };
        const tainted = decide(tool, args, { ...contained, tainted: true });
        const other = decide(tool, args, { ...contained, tainted: false });
        if (tainted.needsPerson) {
          expect(tool).toBe('bash');
          return;
        }
        expect([tainted.verdict, tainted.scopes]).toEqual([other.verdict, other.scopes]);
      }),
      { numRuns: 4_000 },
    );
  });

  it('plan mode never allows what does more than read, and no mode lifts a deny', () => {
    fc.assert(
      fc.property(calls, cases, ([tool, args], given) => {
        const planned = decide(tool, args, { ...given, mode: 'plan' });
        if (planned.changes) expect(planned.verdict).toBe('deny');
        const asked = decide(tool, args, { ...given, mode: 'ask' });
        if (asked.verdict === 'deny') expect(decide(tool, args, given).verdict).toBe('deny');
        if (asked.verdict === 'allow' && given.mode !== 'plan') expect(decide(tool, args, given).verdict).toBe('allow');
      }),
      { numRuns: 4_000 },
    );
  });

  it('accept-edits opens edits of ordinary files and nothing else', () => {
    fc.assert(
      fc.property(calls, cases, ([tool, args], given) => {
        const accepted = decide(tool, args, { ...given, mode: 'accept-edits' });
        const asked = decide(tool, args, { ...given, mode: 'ask' });
        if (accepted.verdict === asked.verdict) return;
        expect([tool === 'write' || tool === 'edit', accepted.verdict, asked.verdict]).toEqual([true, 'allow', 'ask']);
        expect(args.path).not.toMatch(/^\/|\.\.|\.envrc|\.git/);
      }),
      { numRuns: 4_000 },
    );
  });

  it('names the rule in the question it puts, and keeps no wider one', () => {
    expect(decide('write', { path: 'src/cart.js', content: 'x' }).rememberAs).toEqual(['file_write(src/cart.js)']);
    expect(decide('bash', { command: 'npm test' }).rememberAs).toEqual(['bash(npm test)']);
  });
});
