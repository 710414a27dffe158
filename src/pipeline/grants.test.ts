import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../tools/policy.ts';
import { createGrants } from './grants.ts';

const preview = { summary: 'Edit a.txt', text: '-old\n+new', paths: ['a.txt'] };

function question(more: Partial<PermissionQuestion> = {}): PermissionQuestion {
  const call = { id: 'same', name: 'file_edit', args: {}, source: 'model' as const };
  return { call, verdict: { rememberAs: ['file_edit(a.txt)'] }, ...more } as PermissionQuestion;
}

const ANNA = { by: 'Anna', place: 'chat' } as const;

function setUp(scope: 'once' | 'always' | undefined, answered: typeof ANNA | 'nobody' = ANNA) {
  const journal: unknown[] = [];
  const grants = createGrants({
    questions: { permission: async () => (answered === 'nobody' ? undefined : { scope, ...answered }) },
    turn: {
      permissionAsked: async () => {},
      callPermitted: async (call, granted) => void journal.push({ call, granted }),
    },
    now: () => 0,
  });
  return { grants, journal, ask: (asked: PermissionQuestion) => grants.askPerson(asked, new AbortController().signal) };
}

describe('a permission that a person gives', () => {
  it('is journalled with who gave it, as what it is kept, and what they were shown', async () => {
    const { grants, journal, ask } = setUp('always');
    const asked = question({ preview });
    expect(await ask(asked)).toBe('always');
    const granted = {
      scope: 'always',
      by: 'Anna',
      place: 'chat',
      at: '1970-01-01T00:00:00.000Z',
      rules: ['file_edit(a.txt)'],
      preview,
    };
    expect(journal).toEqual([{ call: asked.call, granted }]);
    expect(grants.of(asked.call)).toEqual(granted);
  });

  it('belongs to its call alone, also where another has the same id', async () => {
    const { grants, ask } = setUp('once');
    const [one, other] = [question(), question()];
    await ask(one);
    expect(grants.of(one.call)).toMatchObject({ scope: 'once', rules: [] });
    expect(grants.of(other.call)).toBeUndefined();
  });

  it('that is not given leaves nothing', async () => {
    const { grants, journal, ask } = setUp(undefined);
    const asked = question({ preview });
    expect(await ask(asked)).toBeUndefined();
    expect([journal, grants.of(asked.call)]).toEqual([[], undefined]);
    expect(grants.answeredFrom(asked.call)).toEqual(ANNA);
  });

  it('that nobody answered was answered by nobody', async () => {
    const { grants, ask } = setUp(undefined, 'nobody');
    const asked = question();
    expect(await ask(asked)).toBeUndefined();
    expect(grants.answeredFrom(asked.call)).toBeUndefined();
  });

  it('is kept with as much of a long preview as is bounded', async () => {
    const { grants, ask } = setUp('once');
    const asked = question({ preview: { ...preview, text: 'x'.repeat(60_000) } });
    await ask(asked);
    expect(grants.of(asked.call)?.preview?.text).toMatch(/^x{50000}\n… 10000 more characters$/);
  });
});
