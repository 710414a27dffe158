import { describe, expect, it } from 'vitest';
import type { Answerer } from '../gateway/turns/answerer.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AuditEvent } from '../storage/audit.ts';
import { OPERATIONS } from './all.ts';
import { invokeOperation } from './invoke.ts';
import { checkMayCall } from './may-call.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { NO_INPUT, objectWith } from './schemas.ts';

const chat = (isOwner: boolean, isGroup: boolean): Answerer => ({
  place: 'chat',
  chat: 'telegram:1',
  name: 'Anna',
  isOwner,
  isGroup,
});
const OWNER = chat(true, false);
const OWNER_IN_GROUP = chat(true, true);
const ADMITTED = chat(false, false);
const ADMITTED_IN_GROUP = chat(false, true);

const names = (by: Answerer, among = OPERATIONS): string[] =>
  among
    .filter((operation) => {
      try {
        checkMayCall(operation, by);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'NOT_ALLOWED' });
        return false;
      }
    })
    .map(({ name }) => name);
const ALL = OPERATIONS.map(({ name }) => name);
const DANGEROUS = OPERATIONS.filter((operation) => operation.class === 'danger');

describe('an operation may be called', () => {
  it.each<[string, Answerer]>([
    ['at the terminal', { place: 'terminal' }],
    ['by a program', { place: 'program' }],
    ['by the owner in the console', { place: 'console', name: 'Olga', isOwner: true }],
    ['by the owner alone with the bot', OWNER],
  ])('%s, whatever it is', (_where, by) => {
    expect(names(by)).toEqual(ALL);
  });

  it('by the owner in a group, unless it cannot be taken back', () => {
    expect(DANGEROUS.length).toBeGreaterThan(5);
    expect(names(OWNER_IN_GROUP, DANGEROUS)).toEqual([]);
    expect(names(OWNER_IN_GROUP)).toHaveLength(ALL.length - DANGEROUS.length);
  });

  it('by another person who is admitted, when it concerns only the chat they are in', () => {
    expect(names(ADMITTED)).toEqual(['chat.context', 'chat.new', 'chat.show', 'chat.stop']);
  });

  it('by another person in a group, when it changes nothing for the others', () => {
    expect(names(ADMITTED_IN_GROUP)).toEqual(['chat.context', 'chat.show', 'chat.stop']);
  });

  it('by nobody in the console but its owner', () => {
    expect(names({ place: 'console', name: 'Anna', isOwner: false })).toEqual([]);
  });

  it('by the owner alone, where it is dangerous, whomever it says it concerns', () => {
    const dangerous = (['chat', 'sender', undefined] as const).map((concerns) => ({
      name: 'chat.erase',
      class: 'danger' as const,
      concerns,
    }));
    for (const by of [ADMITTED, ADMITTED_IN_GROUP]) expect(names(by, dangerous as never)).toEqual([]);
  });
});

it.each([
  ['alone with the bot', ADMITTED],
  ['in a group', ADMITTED_IN_GROUP],
])('a dangerous operation does not run for a person who is admitted and is not the owner, %s', async (_where, by) => {
  let ran = 0;
  const erase = defineOperation({
    name: 'home.erase',
    class: 'danger',
    summary: 'Erase everything.',
    input: NO_INPUT,
    output: objectWith({}),
    async run() {
      ran += 1;
      return {};
    },
  });
  const recorded: AuditEvent[] = [];
  const runtime = { audit: async () => ({ append: async (events) => void recorded.push(...events) }) } as Runtime;
  const context = { by, runtime } as OperationContext;
  await expect(invokeOperation(erase, {}, context)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  // Not even with input that does not fit: nothing about the operation is revealed.
  await expect(invokeOperation(erase, { x: 1 }, context)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  expect(ran).toBe(0);
  await invokeOperation(erase, {}, { by: OWNER, runtime } as OperationContext);
  expect(ran).toBe(1);
  expect(recorded.map(({ outcome }) => outcome)).toEqual(['denied', 'denied', 'ok']);
});
