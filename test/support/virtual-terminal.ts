// A terminal without a window: what a person would see on it, and in its scrollback, after what was written.
import type { Terminal as LibraryTerminal } from '@earendil-works/pi-tui';
import xterm from '@xterm/headless';

export interface VirtualTerminal {
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** The lines on the screen, without what is blank at its end. */
  screen(): Promise<string>;
  /** The scrollback, then the screen. */
  everything(): Promise<string>;
  title(): string;
  readonly columns: number;
  readonly rows: number;
  /** What the terminal answers when it is asked about itself. */
  onAnswer(listener: (text: string) => void): void;
}

export function createVirtualTerminal(columns = 80, rows = 24): VirtualTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
    convertEol: true,
  });
  let title = '';
  terminal.onTitleChange((changed) => {
    title = changed;
  });
  const drawn = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve));
  const lines = (from: number): string => {
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length - from }, (_, index) => {
      return active.getLine(from + index)?.translateToString(true) ?? '';
    });
    return all.join('\n').trimEnd();
  };
  return {
    write: (text) => terminal.write(text),
    resize: (cols, newRows) => terminal.resize(cols, newRows),
    async screen() {
      await drawn();
      return lines(terminal.buffer.active.baseY);
    },
    async everything() {
      await drawn();
      return lines(0);
    },
    title: () => title,
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    onAnswer: (listener) => void terminal.onData(listener),
  };
}

export interface LibrarySide {
  terminal: LibraryTerminal;
  type(text: string): void;
  resize(columns: number, rows: number): void;
}

/** The same terminal as the library of the chat draws on it. */
export function forLibrary(virtual: VirtualTerminal, clean: (data: string) => string = (data) => data): LibrarySide {
  let onInput: (data: string) => void = () => {};
  let onResize: () => void = () => {};
  const write = (data: string): void => virtual.write(clean(data));
  return {
    type: (text) => onInput(text),
    resize(columns, rows) {
      virtual.resize(columns, rows);
      onResize();
    },
    terminal: {
      start(input, resize) {
        onInput = input;
        onResize = resize;
      },
      stop() {},
      drainInput: async () => {},
      write,
      get columns() {
        return virtual.columns;
      },
      get rows() {
        return virtual.rows;
      },
      kittyProtocolActive: false,
      moveBy: (count) => write(count > 0 ? `\x1b[${count}B` : count < 0 ? `\x1b[${-count}A` : ''),
      hideCursor: () => write('\x1b[?25l'),
      showCursor: () => write('\x1b[?25h'),
      clearLine: () => write('\x1b[K'),
      clearFromCursor: () => write('\x1b[J'),
      clearScreen: () => write('\x1b[2J\x1b[H'),
      setTitle: () => {},
      setProgress: () => {},
    },
  };
}
