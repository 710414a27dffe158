// The screen: the conversation, and below it what waits, what is going on, the input and a line that tells where one is. It knows
// nothing of turns; its caller says what to show.
import {
  type AutocompleteProvider,
  CURSOR_MARKER,
  Editor,
  isKeyRelease,
  type Keybinding,
  KeybindingsManager,
  matchesKey,
  setCapabilityOverrides,
  setKeybindings,
  type Terminal,
  TUI_KEYBINDINGS,
  TuiMainScreen,
} from '@earendil-works/pi-tui';
import type { Colors } from '../colors.ts';
import type { QueuedMessage } from './conversation.ts';
import type { Entry } from './entries.ts';
import type { Prompt } from './prompt.ts';
import { createScrollGuard } from './scroll-guard.ts';
import { fitting, harmless, shortened, shownText } from './shown-text.ts';
import { editorTheme } from './theme.ts';
import { createTranscript } from './transcript.ts';

/** Lines above the screen that can still be unfolded. */
const KEPT_LINES = 150;
const FRAME_MS = 40;
/** Drawing may take this part of the time, so that keys are never waited for. */
const SHARE = 1 / 4;
const NOTHING_DRAWN = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
};
const QUEUED_SHOWN = 3;
const ESCAPE = '\x1b';
/** They change the text at once, and the library leaves what it offered for the text before. */
const REPLACING_KEYS: readonly Keybinding[] = [
  'tui.editor.deleteToLineStart',
  'tui.editor.deleteToLineEnd',
  'tui.editor.deleteWordBackward',
  'tui.editor.deleteWordForward',
  'tui.editor.yank',
  'tui.editor.yankPop',
  'tui.editor.undo',
];
/** A person who is typing has not read a question that appears: it takes keys after this pause in typing. */
const QUIET_MS = 600;

/** What is shown in short until a key unfolds it. */
export type Foldable = 'cards' | 'thoughts';

export type PromptTime = 'quiet' | 'at once';

export interface Below {
  queued: readonly QueuedMessage[];
  status: string | undefined;
  footer: string;
}

export interface ScreenOptions {
  terminal: Terminal;
  colors: Colors;
  /** What stands below the conversation now. */
  below(): Below;
  onSubmit(text: string): void;
  /** A key, before anyone else gets it; true when that was all. */
  onKey(data: string): boolean;
  now(): number;
}

export interface Screen {
  start(): void;
  /** Leaves the terminal as it was, for a while or for good; the conversation stays on it. */
  stop(until: 'resumed' | 'ended'): void;
  /** Continues below what the terminal shows by now; does nothing once it has ended. */
  resume(): void;
  put(entry: Entry): void;
  remove(id: number): void;
  /** Something below has changed. */
  refresh(): void;
  /** Folds or unfolds all of a kind. */
  toggle(what: Foldable): void;
  /** Draws what the terminal has lost. */
  redraw(): void;
  /** Puts a question in the input's place: when nobody is typing, or at once when it follows another. */
  setPrompt(prompt: Prompt, when: PromptTime): void;
  /** Gives the input back. */
  clearPrompt(): void;
  readonly hasPrompt: boolean;
  readonly editor: Editor;
  /** Enter sends what is whole, unless something offered was chosen with the arrows. */
  complete(provider: AutocompleteProvider, isWhole: (before: string) => boolean): void;
}

export function createScreen({ terminal, colors, below, onSubmit, onKey, now }: ScreenOptions): Screen {
  const keys = new KeybindingsManager(TUI_KEYBINDINGS, {
    'tui.input.newLine': ['shift+enter', 'ctrl+j', 'alt+enter'],
  });
  setKeybindings(keys);
  // A link whose address is out of sight can name one place and lead to another.
  setCapabilityOverrides({ hyperlinks: false });
  const tui = new TuiMainScreen(terminal);
  const editor = new Editor(tui, editorTheme(colors), { paddingX: 1, autocompleteMaxVisible: 8 });
  editor.onSubmit = onSubmit;
  const guard = createScrollGuard();
  const unfolded = new Set<Foldable>();
  const transcript = createTranscript(colors, (kind) => unfolded.has(kind === 'thought' ? 'thoughts' : 'cards'));
  let prompt: { shown: Prompt; isArmed: boolean } | undefined;
  let lastKeyAt = Number.NEGATIVE_INFINITY;
  let armTimer: NodeJS.Timeout | undefined;
  let frameTimer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isOver = false;
  let frameMs = FRAME_MS;
  let isWhole = (_before: string): boolean => false;
  let isChosen = false;

  tui.addChild({
    render(width) {
      const lines = [...transcript.lines(width), ...lower(width)];
      const scrolled = tui.captureRenderState().previousViewportTop;
      return guard.next({ lines, columns: width, rows: terminal.rows, scrolled });
    },
    invalidate() {},
  });
  tui.addInputListener((data) => {
    if (isKeyRelease(data)) return undefined;
    lastKeyAt = now();
    if (onKey(data)) return { consume: true };
    if (!prompt?.isArmed) closeOffers(data);
    return undefined;
  });
  tui.setFocus(editor);

  /** The library's Enter takes what is offered; a person who wrote everything means to send it. */
  function closeOffers(data: string): void {
    const isMoving = matchesKey(data, 'up') || matchesKey(data, 'down');
    if (editor.isShowingAutocomplete() && matchesKey(data, 'enter') && !isChosen) {
      const { line, col } = editor.getCursor();
      if (isWhole((editor.getLines()[line] ?? '').slice(0, col))) editor.handleInput(ESCAPE);
    }
    const isReplacing = REPLACING_KEYS.some((binding) => keys.matches(data, binding));
    if (editor.isShowingAutocomplete() && isReplacing) editor.handleInput(ESCAPE);
    isChosen = isMoving && editor.isShowingAutocomplete();
  }

  function lower(width: number): string[] {
    const { queued, status, footer } = below();
    if (isOver) return ['', shortened(colors.dim(shownText(footer)), width)];
    const waiting = queued.slice(0, QUEUED_SHOWN).map(({ text, joinsTurn }) => {
      const label = joinsTurn ? 'joins this turn' : 'queued';
      return `⏎ ${label}: ${shownText(text).replace(/\s+/g, ' ')}`;
    });
    if (queued.length > QUEUED_SHOWN) waiting.push(`⏎ … and ${queued.length - QUEUED_SHOWN} more`);
    const input = prompt?.isArmed ? prompt.shown.render(width) : editor.render(width);
    const unread = prompt && !prompt.isArmed ? [colors.yellow('? a question waits: stop typing to answer it')] : [];
    const lines = [
      ...waiting.map(colors.dim),
      ...unread,
      ...(status === undefined ? [] : [colors.dim(shownText(status))]),
    ];
    const cut = (line: string): string => shortened(line, width);
    const drawn = input.map((line) => fitting(harmlessInput(line), width));
    return ['', ...lines.map(cut), ...drawn, cut(colors.dim(shownText(footer)))];
  }

  function arm(): void {
    clearTimeout(armTimer);
    if (!prompt || prompt.isArmed) return;
    const wait = lastKeyAt + QUIET_MS - now();
    if (wait > 0) armTimer = setTimeout(arm, wait);
    else {
      prompt.isArmed = true;
      tui.setFocus(prompt.shown);
    }
    refresh();
  }

  function refresh(): void {
    if (!isRunning || frameTimer) return;
    frameTimer = setTimeout(() => {
      frameTimer = undefined;
      if (!isRunning) return;
      const begun = performance.now();
      tui.renderNow();
      letGo();
      frameMs = Math.max(FRAME_MS, (performance.now() - begun) / SHARE);
    }, frameMs);
  }

  /** Right after a frame: what has scrolled away is forgotten, here and by the library alike. */
  function letGo(): void {
    const state = tui.captureRenderState();
    const keep = Math.max(KEPT_LINES, terminal.rows);
    const spare = guard.above(state.previousViewportTop) - keep;
    if (spare <= keep || state.previousWidth !== terminal.columns) return;
    const gone = guard.forget(transcript.drop(spare, state.previousWidth));
    if (gone === 0 || gone > state.previousViewportTop) return;
    tui.restoreRenderState({
      ...state,
      previousLines: state.previousLines.slice(gone),
      cursorRow: state.cursorRow - gone,
      hardwareCursorRow: state.hardwareCursorRow - gone,
      maxLinesRendered: state.maxLinesRendered - gone,
      previousViewportTop: state.previousViewportTop - gone,
    });
  }

  function redraw(): void {
    guard.release('a screen');
    tui.requestRender(true);
  }

  return {
    editor,
    get hasPrompt() {
      return prompt?.isArmed ?? false;
    },
    start() {
      isRunning = true;
      tui.start();
    },
    stop(until) {
      if (until === 'ended') isOver = true;
      if (!isRunning) return;
      clearTimeout(frameTimer);
      clearTimeout(armTimer);
      frameTimer = undefined;
      tui.renderNow();
      isRunning = false;
      tui.stop();
    },
    resume() {
      if (isOver) return;
      guard.release('a screen');
      tui.restoreRenderState(NOTHING_DRAWN);
      isRunning = true;
      tui.start();
    },
    put(entry) {
      transcript.put(entry);
      refresh();
    },
    remove(id) {
      transcript.remove(id);
      refresh();
    },
    refresh,
    toggle(what) {
      if (!unfolded.delete(what)) unfolded.add(what);
      guard.release('everything');
      tui.requestRender(true);
    },
    redraw,
    setPrompt(shown, when) {
      prompt = { shown, isArmed: false };
      if (when === 'at once') lastKeyAt = Number.NEGATIVE_INFINITY;
      arm();
    },
    clearPrompt() {
      prompt = undefined;
      tui.setFocus(editor);
      refresh();
    },
    complete(provider, whole) {
      editor.setAutocompleteProvider(provider);
      isWhole = whole;
    },
  };
}

/** The text of the input may have been pasted, or sent long ago. The library tells by a mark where the cursor is. */
function harmlessInput(line: string): string {
  return line.split(CURSOR_MARKER).map(harmless).join(CURSOR_MARKER);
}
