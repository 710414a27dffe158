// The person's terminal for the library. What has scrolled away is not ours to clear. The screen is cleared line by line: terminals
// like tmux keep a screen that is cleared at once, so that the scrollback would have everything on it twice.
import { ProcessTerminal } from '@earendil-works/pi-tui';

const CLEAR_ALL = '\x1b[2J\x1b[H\x1b[3J';

export class QuietTerminal extends ProcessTerminal {
  override write(data: string): void {
    super.write(sparing(data, this.rows));
  }
}

/** What the library draws, without what it would destroy. */
export function sparing(data: string, rows: number): string {
  // When it stops, it blanks its cursor: by then something else may be shown there.
  if (data === ' ') return '';
  if (!data.includes(CLEAR_ALL)) return data;
  return data.replaceAll(CLEAR_ALL, `\x1b[H${'\x1b[2K\x1b[1B'.repeat(rows)}\x1b[H`);
}
