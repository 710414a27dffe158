// What has scrolled off the screen belongs to the terminal and cannot be redrawn; the library would clear everything and print it all
// again, once more into the scrollback. So a frame that changes lines up there keeps the old ones; one that has become shorter as well,
// or comes after a change of size, begins again with as much as the screen holds. Then nothing is ever printed twice.
export interface Frame {
  /** Every line there is, the newest last. */
  lines: readonly string[];
  columns: number;
  rows: number;
  /** How many lines of the last frame have scrolled away. */
  scrolled: number;
}

export interface ScrollGuard {
  /** The lines to draw. */
  next(frame: Frame): string[];
  /** How many lines of all there are have scrolled away, when that is so of `scrolled` lines of the last frame. */
  above(scrolled: number): number;
  /** The terminal shows something else: the next frame holds everything again, or as much as a screen does. */
  release(what: 'everything' | 'a screen'): void;
  /** The first `count` lines are gone from what frames are made of; returns how many of them the last frame had. */
  forget(count: number): number;
}

export function createScrollGuard(): ScrollGuard {
  let left = 0;
  let isAScreen = false;
  let last: { lines: string[]; columns: number; rows: number } | undefined;

  return {
    next({ lines, columns, rows, scrolled }) {
      const onOneScreen = Math.max(0, lines.length - rows);
      const isResized = last !== undefined && (last.columns !== columns || last.rows !== rows);
      if (isResized || isAScreen) left = onOneScreen;
      isAScreen = false;
      let shown = lines.slice(left);
      if (last && !isResized) {
        const kept = last.lines.slice(0, scrolled);
        if (kept.some((line, index) => shown[index] !== line)) {
          if (shown.length < last.lines.length) {
            left = onOneScreen;
            shown = lines.slice(left);
          } else shown = [...kept, ...shown.slice(kept.length)];
        }
      }
      last = { lines: shown, columns, rows };
      return shown;
    },
    above: (scrolled) => left + scrolled,
    release(what) {
      isAScreen = what === 'a screen';
      if (!isAScreen) left = 0;
      last = undefined;
    },
    forget(count) {
      const unseen = Math.min(left, count);
      left -= unseen;
      const seen = count - unseen;
      if (last) last = { ...last, lines: last.lines.slice(seen) };
      return seen;
    },
  };
}
