import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { ToolArgs, ToolResult } from '../../tools/tool.ts';
import type { ToolEnd, ToolEntry } from './entries.ts';
import { toolCard } from './tool-card.ts';

const plain = colors.createColors(false);

function entryOf(name: string, args: ToolArgs, end: ToolEnd, output = ''): ToolEntry {
  return { kind: 'tool', id: 1, call: { id: 'c', name, args, source: 'model' }, output, end };
}

const ended = (result: Partial<ToolResult>): ToolEnd => ({
  state: 'ended',
  result: { ok: true, data: undefined, meta: { durationMs: 1_234 }, ...result } as ToolResult,
});

const card = (entry: ToolEntry, { width = 60, isExpanded = false } = {}): string =>
  toolCard(entry, isExpanded, width, plain).join('\n').replaceAll('\x1b[0m', '');

const DIFF = '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n';

describe('the card of a call', () => {
  it('shows the argument that tells most, and the last lines while it runs', () => {
    const output = `${Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join('\n')}\n`;
    expect(card(entryOf('bash', { timeoutMs: 1, command: 'npm  test\n' }, { state: 'running' }, output))).toBe(
      '● bash npm test\n  line 5\n  line 6\n  line 7\n  line 8\n  line 9',
    );
  });

  it('shows the last state of a line that is written over, without its colours', () => {
    const output = '\x1b[32mok\x1b[0m 1\n10 %\r50 %\r100 %\r\n';
    expect(card(entryOf('bash', {}, { state: 'running' }, output))).toBe('● bash\n  ok 1\n  100 %');
  });

  it('shows a checklist whole', () => {
    const items = ['completed', 'in_progress', 'pending'].map((status, index) => ({ text: `step ${index}`, status }));
    expect(card(entryOf('todo', { items }, ended({ data: { checklist: items } })))).toBe(
      '✓ todo · 1.2 s\n  ☑ step 0\n  ▸ step 1\n  ☐ step 2',
    );
  });

  it('tells what an edit changed, and all of it when it is unfolded', () => {
    const edit = entryOf('file_edit', { path: 'x' }, ended({ data: { diff: DIFF } }));
    expect(card(edit)).toBe('✓ file_edit x · +2 −1 · 1.2 s');
    expect(card(edit, { isExpanded: true })).toContain('  -b\n  +c\n  +d');
  });

  it('says why it failed', () => {
    const error = { code: 'execution_error', message: 'bash was not approved', reason: 'denied' } as const;
    expect(card(entryOf('bash', { command: 'rm x' }, ended({ ok: false, error, meta: { durationMs: 3 } })))).toBe(
      '✗ bash rm x · 3 ms · not approved\n  bash was not approved',
    );
  });

  it('gives way at its argument, never at its facts', () => {
    const long = entryOf('bash', { command: 'a'.repeat(200) }, ended({}));
    expect(card(long, { width: 30 })).toBe(`✓ bash ${'a'.repeat(14)}… · 1.2 s`);
  });

  it('is harmless and fits, whatever a tool is called, given or gives back', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 });
    const end: fc.Arbitrary<ToolEnd> = fc.oneof(
      fc.constant<ToolEnd>({ state: 'running' }),
      text.map((output) => ended({ data: { output } })),
      text.map((diff) => ended({ data: { diff } })),
      text.map((message) => ended({ ok: false, error: { code: 'execution_error', message } })),
    );
    fc.assert(
      fc.property(text, text, text, end, fc.boolean(), fc.integer({ min: 4, max: 90 }), (...given) => {
        const [name, command, output, how, isExpanded, width] = given;
        for (const line of toolCard(entryOf(name, { command }, how, output), isExpanded, width, plain)) {
          expect(line.replaceAll('\x1b[0m', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: 50 },
    );
  });
});
