// Core memory: the few facts that are always in context, core_memory.json `{user:{},agent:{}}` for the owner and
// core_memory.others.json `{scope:{user:{},agent:{}}}` for everybody else. Files people may read and edit. A change is made
// under a lock and replaces the whole file, so processes never lose each other's changes; the old value is first kept in
// core_memory.history.jsonl.

import { estimateTokens } from '../lib/estimate-tokens.ts';
import type { Locks } from '../storage/locks.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import type { MemoryReader, MemoryScope } from '../vocabulary/memory-scope.ts';
import { MemoryError } from './memory-error.ts';

export const CORE_SECTIONS = ['user', 'agent'] as const;
export type CoreSection = (typeof CORE_SECTIONS)[number];

export type CoreFacts = Record<CoreSection, Record<string, string>>;

export const OWNERS_FILE = 'core_memory.json';
const OTHERS_FILE = 'core_memory.others.json';
export const CORE_FILES = [OWNERS_FILE, OTHERS_FILE] as const;
export const CORE_HISTORY = 'core_memory.history.jsonl';
export const CORE_LOCK = 'core-memory';
const LONGEST_KEY = 100;
const LONGEST_VALUE = 2_000;
const MOST_TOKENS = 4_000;

/** The facts of everybody. They are read and changed in the name of somebody only. */
export interface SharedCoreMemory {
  as(reader: MemoryReader): CoreMemory;
}

/** The facts of one reader's scope. */
export interface CoreMemory {
  get(): Promise<CoreFacts>;
  /** Resolves only after the change is durable. Returns the old value. */
  update(section: CoreSection, key: string, value: string): Promise<{ previous?: string }>;
  /** Rejects when there is no such key. */
  delete(section: CoreSection, key: string): Promise<{ previous: string }>;
}

export interface CoreMemoryDependencies {
  files: OwnerFiles;
  locks: Locks;
  now(): number;
}

export function createCoreMemory(dependencies: CoreMemoryDependencies): SharedCoreMemory {
  return { as: ({ scope }) => coreMemoryOf(scope, dependencies) };
}

function coreMemoryOf(scope: MemoryScope, { files, locks, now }: CoreMemoryDependencies): CoreMemory {
  const file = scope === 'owner' ? OWNERS_FILE : OTHERS_FILE;

  async function read(): Promise<Contents> {
    const path = files.location(file);
    const all = parseObject((await files.read(file)) ?? '{}', path);
    if (scope === 'owner') return factsIn(all, path);
    return factsIn(Object.hasOwn(all, scope) ? all[scope] : {}, path);
  }

  /** The whole file with the facts of this scope replaced. */
  function written(current: string | undefined, own: object): string {
    const all = scope === 'owner' ? own : { ...parseObject(current ?? '{}', files.location(file)), [scope]: own };
    return `${JSON.stringify(all, undefined, 2)}\n`;
  }

  async function change<T>(make: (facts: Facts) => Change & { result: T }): Promise<T> {
    const lock = await locks.acquire(CORE_LOCK);
    try {
      const { facts, others } = await read();
      const { section, key, previous, value, result } = make(facts);
      if (previous !== value) {
        const whose = scope === 'owner' ? {} : { scope };
        const entry = { at: new Date(now()).toISOString(), ...whose, section, key, previous, value };
        await files.append(CORE_HISTORY, JSON.stringify(entry), lock);
        await files.update(file, (current) => written(current, { ...plain(facts), ...others }), lock);
      }
      return result;
    } finally {
      await lock.release();
    }
  }

  return {
    get: async () => plain((await read()).facts),
    update: (section, key, value) =>
      change((facts) => {
        checkKey(key);
        checkValue(value);
        const previous = facts[section].get(key);
        facts[section].set(key, value);
        checkTotal(facts);
        return { section, key, previous, value, result: previous === undefined ? {} : { previous } };
      }),
    delete: (section, key) =>
      change((facts) => {
        const previous = facts[section].get(key);
        if (previous === undefined) {
          const known = [...facts[section].keys()].join(', ');
          throw new MemoryError(
            'MEMORY_KEY_NOT_FOUND',
            `core memory has no "${key}" in "${section}"${known === '' ? ', which is empty' : `; there is: ${known}`}`,
          );
        }
        facts[section].delete(key);
        return { section, key, previous, value: undefined, result: { previous } };
      }),
  };
}

/** Text for the system prompt; empty when there are no facts. */
export function renderCoreMemory(facts: CoreFacts): string {
  const sections = CORE_SECTIONS.flatMap((section) => {
    const lines = Object.entries(facts[section]).map(([key, value]) => `- ${oneLine(key)}: ${oneLine(value)}`);
    return lines.length > 0 ? [`${section}:\n${lines.join('\n')}`] : [];
  });
  return sections.length > 0 ? `Core memory (facts kept across sessions):\n${sections.join('\n')}` : '';
}

/** Maps, because a key may be called "__proto__". */
type Facts = Record<CoreSection, Map<string, string>>;

interface Change {
  section: CoreSection;
  key: string;
  previous: string | undefined;
  value: string | undefined;
}

interface Contents {
  facts: Facts;
  /** Unknown sections: kept as they are, and not shown to a model. */
  others: Record<string, unknown>;
}

function parseObject(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new MemoryError(
      'MEMORY_DAMAGED',
      `${path} is not valid JSON (${(error as Error).message}): repair it or move it away`,
      error,
    );
  }
  if (isObject(value)) return value;
  throw damaged(path);
}

function factsIn(root: unknown, path: string): Contents {
  if (!isObject(root)) throw damaged(path);
  const section = (name: CoreSection): Map<string, string> => {
    const facts = root[name] ?? {};
    if (!isObject(facts)) throw damaged(path);
    // Every value that a person wrote by hand is a fact; a number or a list is kept as JSON.
    return new Map(
      Object.entries(facts).map(([key, fact]) => [key, typeof fact === 'string' ? fact : JSON.stringify(fact)]),
    );
  };
  const facts = { user: section('user'), agent: section('agent') };
  const { user: _user, agent: _agent, ...others } = root;
  return { facts, others };
}

function damaged(path: string): MemoryError {
  return new MemoryError('MEMORY_DAMAGED', `${path} must hold {"user":{},"agent":{}}: repair it or move it away`);
}

function plain(facts: Facts): CoreFacts {
  return { user: Object.fromEntries(facts.user), agent: Object.fromEntries(facts.agent) };
}

function checkKey(key: string): void {
  if (key.trim() === '' || key.length > LONGEST_KEY || /[\p{Cc}\ud800-\udfff]/u.test(key)) {
    throw new MemoryError(
      'MEMORY_BAD_KEY',
      `a key has 1 to ${LONGEST_KEY} characters on one line; this one is ${JSON.stringify(key.slice(0, LONGEST_KEY))}`,
    );
  }
}

function checkValue(value: string): void {
  if (value.length > LONGEST_VALUE) {
    throw new MemoryError(
      'MEMORY_FULL',
      `the value has ${value.length} characters, core memory accepts ${LONGEST_VALUE}: it is in every prompt; save long texts with memory_save`,
    );
  }
}

function checkTotal(facts: Facts): void {
  if (estimateTokens(renderCoreMemory(plain(facts))) > MOST_TOKENS) {
    throw new MemoryError(
      'MEMORY_FULL',
      `core memory is full (${MOST_TOKENS} tokens, in every prompt): delete a key or save this with memory_save`,
    );
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
