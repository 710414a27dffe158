import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrollGuard } from './scroll-guard.ts';

const numbered = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `line ${i + from}`);

describe('frames', () => {
  it('hold everything as long as nothing changes above the screen', () => {
    const guard = createScrollGuard();
    guard.next({ lines: numbered(30), columns: 80, rows: 10, scrolled: 0 });
    expect(guard.next({ lines: numbered(40), columns: 80, rows: 10, scrolled: 20 })).toEqual(numbered(40));
  });

  it('keep what has scrolled away when it would change', () => {
    const guard = createScrollGuard();
    guard.next({ lines: numbered(30), columns: 80, rows: 10, scrolled: 0 });
    const changed = ['other', ...numbered(30).slice(1)];
    expect(guard.next({ lines: changed, columns: 80, rows: 10, scrolled: 20 })).toEqual(numbered(30));
  });

  it('begin again with one screen after a change of size', () => {
    const guard = createScrollGuard();
    guard.next({ lines: numbered(30), columns: 80, rows: 10, scrolled: 0 });
    expect(guard.next({ lines: numbered(45), columns: 40, rows: 10, scrolled: 20 })).toEqual(numbered(10, 35));
    expect(guard.next({ lines: numbered(46), columns: 40, rows: 10, scrolled: 0 })).toEqual(numbered(11, 35));
  });

  it('begin again with one screen when lines above it have gone', () => {
    const guard = createScrollGuard();
    guard.next({ lines: numbered(30), columns: 80, rows: 10, scrolled: 0 });
    const rest = ['a', ...numbered(12)];
    expect(guard.next({ lines: rest, columns: 80, rows: 10, scrolled: 20 })).toEqual(rest.slice(-10));
  });

  it('forget what they are no longer made of', () => {
    const guard = createScrollGuard();
    guard.next({ lines: numbered(30), columns: 80, rows: 10, scrolled: 0 });
    expect(guard.above(20)).toBe(20);
    expect(guard.forget(15)).toBe(15);
    expect(guard.next({ lines: numbered(16, 15), columns: 80, rows: 10, scrolled: 5 })).toEqual(numbered(16, 15));
  });

  it('hold everything again when they are asked to', () => {
    const guard = createScrollGuard();
    guard.next({ lines: numbered(30), columns: 80, rows: 10, scrolled: 0 });
    guard.next({ lines: numbered(30), columns: 60, rows: 10, scrolled: 20 });
    guard.release('everything');
    expect(guard.next({ lines: numbered(30), columns: 60, rows: 10, scrolled: 0 })).toEqual(numbered(30));
    guard.release('a screen');
    expect(guard.next({ lines: numbered(30), columns: 60, rows: 10, scrolled: 20 })).toEqual(numbered(10, 20));
  });

  it('never change a line that has scrolled away, unless the screen begins again', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 12 }), (frames) => {
        const guard = createScrollGuard();
        const rows = 5;
        let scrolled = 0;
        let last: string[] = [];
        for (const frame of frames) {
          const next = guard.next({ lines: frame, columns: 80, rows, scrolled });
          const isKept = last.slice(0, scrolled).every((line, index) => next[index] === line);
          // A screen that begins again fits, so that none of it is printed into the scrollback a second time.
          expect(isKept || next.length <= rows).toBe(true);
          scrolled = isKept ? Math.max(scrolled, next.length - rows) : Math.max(0, next.length - rows);
          last = next;
        }
      }),
    );
  });
});
