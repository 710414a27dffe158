import { describe, expect, it } from 'vitest';
import type { HistoryTurn } from '../sessions/history.ts';
import { keepFacts } from './keep-facts.ts';

function turn(said: string, written: readonly string[] = []): HistoryTurn {
  const calls = written.map((path, index) => ({
    call: { id: `c${index}`, name: 'file_write', args: { path }, source: 'model' },
    effect: 'write',
    result: { ok: true, text: 'done' },
  }));
  const message = { id: 'm', role: 'user' as const, timestamp: '', content: said, route: '', stage: '' };
  return { messages: [message], calls, steps: [] } as unknown as HistoryTurn;
}

const POOR = 'The person and the assistant talked about work for a while.';
const kept = (said: string[], { summary = POOR, tokens = 1_000, previous = undefined as string | undefined } = {}) =>
  keepFacts({ summary, turns: said.map((each) => turn(each)), previous, tokens });

describe('what a poor summary left out', () => {
  it.each([
    'My name is Ada and I work on the payments service.',
    'Never push to the main branch without asking me.',
    'We decided to retry three times, with a growing pause.',
    'The limit for refunds is 2,500 euros from 1 March on.',
    'Still open: the invoices of the Lisbon office.',
    'Put the helper into src/money/rounding.ts, please.',
    '我叫小林，在支付团队工作。',
    '以后请不要改动配置文件。',
    'Меня зовут Анна, я работаю в поиске.',
    'Никогда не удаляй журналы без вопроса.',
  ])('is added word for word: %s', (said) => {
    expect(kept([`Hello. ${said} What do you think?`])).toBe(`${POOR}\n\n## Also said, word for word\n- ${said}`);
  });

  it.each(['What do you think?', 'Thanks, that looks good to everybody.', 'Question 12.', 'ok', '继续'])(
    'is not small talk: %s',
    (said) => {
      expect(kept([said])).toBe(POOR);
    },
  );

  it('is only what is missing', () => {
    const summary =
      '## The person\nAda works on the payments service.\n## Decisions\nRefunds are limited to 2,500 euros.';
    const said = ['My name is Ada, I work on the payments service.', 'The limit for refunds is 2,500 euros.'];
    expect(kept(said, { summary })).toBe(summary);
  });

  it('survives the next poor summary too, and is there once', () => {
    const first = kept(['My name is Ada and I like tea.']);
    const second = kept(['My name is Ada and I like tea.', 'We decided to use Postgres.'], { previous: first });
    expect(second.match(/name is Ada/g)).toHaveLength(1);
    expect(kept([], { previous: second })).toContain('- We decided to use Postgres.');
  });

  it('is bounded, the newest first, in the order it was said', () => {
    const said = Array.from({ length: 100 }, (_, index) => `My secret of number ${index} is cedar-${index}.`);
    const text = kept(said, { tokens: 100 });
    expect(text).toContain('cedar-99');
    expect(text).not.toContain('cedar-1.');
    expect(text.indexOf('cedar-98')).toBeLessThan(text.indexOf('cedar-99'));
    expect(text.length).toBeLessThan(POOR.length + 500);
  });

  it('names the files that were written, over several summaries', () => {
    const first = keepFacts({ summary: POOR, turns: [turn('fix it', ['src/a.ts', 'src/b.ts'])], tokens: 200 });
    expect(first).toContain('- Files written: src/a.ts, src/b.ts');
    const second = keepFacts({ summary: POOR, turns: [turn('and c', ['src/c.ts'])], previous: first, tokens: 200 });
    expect(second).toContain('- Files written: src/a.ts, src/b.ts, src/c.ts');
  });
});
