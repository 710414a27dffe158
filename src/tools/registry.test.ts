import { describe, expect, it } from 'vitest';
import { createRegistry } from './registry.ts';
import { noSubject } from './subject.ts';
import type { ToolSpec } from './tool.ts';

const spec = (name: string, ...aliases: string[]): ToolSpec => ({
  name,
  aliases,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read',
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1_000,
  execute: async () => ({ data: name }),
});

const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);

describe('the registry', () => {
  const read = spec('fs.read', 'file_read');
  const registry = createRegistry([spec('a'), read, spec('b')]);

  it('lists every name, an alias right after its tool', () => {
    expect(names(registry.list())).toEqual(['a', 'fs.read', 'file_read', 'b']);
  });

  it('finds a tool by its name and by its alias, and nothing else', () => {
    expect(registry.get('fs.read')).toBe(read);
    expect(registry.get('file_read')).toBe(read);
    for (const name of ['nope', '', '__proto__', 'constructor', 'toString', 'FS.READ'])
      expect(registry.get(name)).toBeUndefined();
  });

  it('offers each tool once', () => {
    expect(names(registry.distinct())).toEqual(['a', 'fs.read', 'b']);
    expect(names(registry.filter(['file_read', 'b']).distinct())).toEqual(['file_read', 'b']);
  });

  it.each([
    ['two tools of one name', [spec('a'), spec('a')]],
    ['an alias that is a name', [spec('a'), spec('b', 'a')]],
    ['a name that is an alias', [spec('b', 'a'), spec('a')]],
    ['an alias of two tools', [spec('b', 'x'), spec('a', 'x')]],
    ['an alias that is its own name', [spec('a', 'a')]],
  ])('refuses %s by that name', (_case, specs) => {
    expect(() => createRegistry(specs)).toThrow(/"[ax]" is registered already/);
  });

  it('takes names that objects have', () => {
    const odd = createRegistry([spec('__proto__'), spec('constructor')]);
    expect(names(odd.list())).toEqual(['__proto__', 'constructor']);
    expect(odd.get('__proto__')?.name).toBe('__proto__');
  });
});

describe('a filter', () => {
  const registry = createRegistry([spec('a'), spec('b', 'bee'), spec('c')]);

  it('hides everything else and ignores names that do not exist', () => {
    const filtered = registry.filter(['c', 'nope', 'a', 'a', '__proto__']);
    expect(names(filtered.list())).toEqual(['a', 'c']);
    expect(filtered.get('b')).toBeUndefined();
  });

  it('of nothing hides everything, and the whole is not changed by it', () => {
    expect(registry.filter([]).list()).toEqual([]);
    expect(registry.list()).toHaveLength(4);
  });

  it('of a filter can only take away', () => {
    expect(names(registry.filter(['a', 'b']).filter(['b', 'c', 'bee']).list())).toEqual(['b']);
  });
});
