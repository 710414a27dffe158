import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../pipeline/questions.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import { createAnswering } from './answering.ts';
import type { QuestionAnswer } from './questions.ts';

const request = (scopes: readonly Scope[]): PermissionRequest =>
  ({ id: 'q-1', turnId: 'turn-1', askedAt: '', permission: { verdict: { scopes } } }) as unknown as PermissionRequest;
const form = {
  id: 'q-2',
  turnId: 'turn-1',
  askedAt: '',
  form: { server: 's', message: '', schema: { properties: {} } },
};

function setUp(scope: Scope) {
  const { promise, resolve } = Promise.withResolvers<QuestionAnswer>();
  const tell = createAnswering({
    person: { askPerson: async () => scope },
    by: { place: 'program' },
    answer: async (_id, answer) => {
      resolve(answer);
      return { kind: 'accepted' };
    },
  });
  return { tell, answered: promise };
}

describe('the one who answers for a turn', () => {
  it.each<[Scope, Scope[], Scope]>([
    ['always', ['once', 'session', 'always'], 'always'],
    ['always', ['once', 'session'], 'session'],
    ['session', ['once', 'always'], 'once'],
    ['always', ['once'], 'once'],
  ])('who says %s where %s is offered gives %s', async (scope, scopes, given) => {
    const { tell, answered } = setUp(scope);
    tell({ type: 'permission-request', question: request(scopes) });
    expect(await answered).toEqual({ kind: 'allow', scope: given });
  });

  it('who cannot fill in forms declines them', async () => {
    const { tell, answered } = setUp('once');
    tell({ type: 'form-request', question: form });
    expect(await answered).toEqual({ kind: 'deny' });
  });
});
