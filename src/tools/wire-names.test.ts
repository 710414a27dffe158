import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWireNames } from './wire-names.ts';

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

describe('names on the wire', () => {
  it('have underscores for dots and are mapped back', () => {
    const { toWire, fromWire } = createWireNames(['fs.read_file', 'grep', 'time.now']);
    expect(['fs.read_file', 'grep', 'time.now'].map(toWire)).toEqual(['fs_read_file', 'grep', 'time_now']);
    expect(['fs_read_file', 'grep', 'time_now'].map(fromWire)).toEqual(['fs.read_file', 'grep', 'time.now']);
  });

  it('that collide get different names, and a legal name stays', () => {
    const names = ['a.b', 'a_b', 'a:b', 'a_b_2'];
    const { toWire, fromWire } = createWireNames(names);
    expect(toWire('a_b')).toBe('a_b');
    expect(toWire('a_b_2')).toBe('a_b_2');
    expect(new Set(names.map(toWire)).size).toBe(4);
    for (const name of names) expect(fromWire(toWire(name))).toBe(name);
  });

  it('given twice are one name and keep their plain form', () => {
    const { toWire } = createWireNames(['time.now', 'grep', 'time.now']);
    expect(toWire('time.now')).toBe('time_now');
  });

  it('that were never given out come back as they are', () => {
    const { fromWire, toWire } = createWireNames(['time.now']);
    for (const name of ['nope', 'time.now', '__proto__', '']) expect(fromWire(name)).toBe(name);
    expect(toWire('never.registered')).toMatch(LEGAL);
  });

  it('are legal, unique and round, whatever the names', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 90 }),
      fc.string({ unit: fc.constantFrom('a', '.', '_', '2', '-'), maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (names) => {
        const { toWire, fromWire } = createWireNames(names);
        const distinct = [...new Set(names)];
        const wire = distinct.map(toWire);
        for (const name of wire) expect(name).toMatch(LEGAL);
        expect(new Set(wire).size).toBe(distinct.length);
        expect(wire.map(fromWire)).toEqual(distinct);
        for (const name of distinct) if (LEGAL.test(name)) expect(toWire(name)).toBe(name);
      }),
    );
  });
});
