// Every sentence of a decision that a person often meets is one of the table, so that the console can word it.
import { beforeAll, expect, it } from 'vitest';
import { type Case, createDecider } from '../../../test/support/decide-fixture.ts';
import { readReasons } from '../../vocabulary/reasons.ts';
import { createCommandParser } from './parse-command.ts';

let decide: ReturnType<typeof createDecider>;
beforeAll(async () => {
  decide = createDecider({ parseCommand: await createCommandParser() });
});

it.each<[code: string, tool: Parameters<typeof decide>[0], args: Record<string, string>, given?: Case]>([
  ['only-reads', 'bash', { command: 'git status' }],
  ['not-known-to-read', 'bash', { command: 'npm test' }],
  ['writes-to', 'bash', { command: 'echo a > b' }],
  ['name-unknown', 'bash', { command: '$X y' }],
  ['sets-variable', 'bash', { command: 'LD_PRELOAD=x ls' }],
  ['rule', 'bash', { command: 'npm test' }, { allow: ['bash(npm test)'] }],
  ['rule-denies', 'bash', { command: 'npm test' }, { deny: ['bash(npm *)'] }],
  ['rule-asks', 'bash', { command: 'npm test' }, { ask: ['bash(npm *)'] }],
  ['mode', 'bash', { command: 'npm test' }, { mode: 'auto' }],
  ['plan-only-reads', 'bash', { command: 'npm test' }, { mode: 'plan' }],
  ['protected', 'bash', { command: 'echo a > .git/hooks/pre-commit' }],
])('%s: %s %j', (code, tool, args, given) => {
  const { because, reasons } = decide(tool, args, given);
  const read = [...(because === undefined ? [] : [because]), ...reasons].flatMap(
    (text) => readReasons(text) ?? [{ text }],
  );
  expect(read).toContainEqual(expect.objectContaining({ code }));
});
