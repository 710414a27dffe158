// What replaces the input while a question is open: keys to press, or a line to type.
import { type Component, type Focusable, Input, matchesKey, SelectList } from '@earendil-works/pi-tui';
import type { Colors } from '../colors.ts';
import { fitting, indented, shownText } from './shown-text.ts';
import { selectListTheme } from './theme.ts';

const SHOWN_CHOICES = 10;
const CHOICE_COLUMNS = { minPrimaryColumnWidth: 20, maxPrimaryColumnWidth: 48 };

export interface Prompt extends Component, Focusable {
  handleInput(data: string): void;
}

export interface KeyPromptOptions<Answer> {
  /** Which keys there are, coloured. */
  shown: string;
  keys: ReadonlyMap<string, Answer>;
  /** Of Enter and Escape. */
  otherwise: Answer;
  onAnswer(answer: Answer): void;
}

/** One key answers; any other is ignored. */
export function createKeyPrompt<Answer>({ shown, keys, otherwise, onAnswer }: KeyPromptOptions<Answer>): Prompt {
  return {
    focused: false,
    handleInput(data) {
      if (matchesKey(data, 'enter') || matchesKey(data, 'escape')) return onAnswer(otherwise);
      for (const [key, answer] of keys) {
        if (data === key || data === key.toUpperCase() || matchesKey(data, key as 'y')) return onAnswer(answer);
      }
    },
    render: (width) => indented(shown, width, '', 0).map((line) => fitting(line, width)),
    invalidate() {},
  };
}

export interface LinePromptOptions {
  shown: string;
  onLine(line: string | undefined): void;
}

/** A line; undefined after Escape or Ctrl-D. */
export function createLinePrompt({ shown, onLine }: LinePromptOptions): Prompt {
  const input = new Input({ prompt: '› ' });
  input.onSubmit = onLine;
  input.onEscape = () => onLine(undefined);
  return {
    get focused() {
      return input.focused;
    },
    set focused(value) {
      input.focused = value;
    },
    handleInput(data) {
      if (matchesKey(data, 'ctrl+d') && input.getValue() === '') onLine(undefined);
      else input.handleInput(data);
    },
    render: (width) => [...indented(shown, width, '', 0), ...input.render(width)].map((line) => fitting(line, width)),
    invalidate: () => input.invalidate(),
  };
}

export interface Choice {
  value: string;
  label: string;
  description?: string;
}

export interface ChoicePromptOptions {
  choices: readonly Choice[];
  colors: Colors;
  onChoice(value: string | undefined): void;
}

/** Arrows and Enter choose; undefined after Escape or Ctrl-D. */
export function createChoicePrompt({ choices, colors, onChoice }: ChoicePromptOptions): Prompt {
  const shown = (text: string): string => shownText(text).replace(/\s+/g, ' ');
  const items = choices.map(({ value, label, description }) => ({
    value,
    label: shown(label),
    ...(description !== undefined && { description: shown(description) }),
  }));
  const list = new SelectList(items, SHOWN_CHOICES, selectListTheme(colors), CHOICE_COLUMNS);
  list.onSelect = ({ value }) => onChoice(value);
  list.onCancel = () => onChoice(undefined);
  return {
    focused: false,
    handleInput(data) {
      if (matchesKey(data, 'ctrl+d')) onChoice(undefined);
      else list.handleInput(data);
    },
    render: (width) =>
      [...list.render(width), colors.dim('Up and Down choose · Enter takes it · Esc cancels')].map((line) =>
        fitting(line, width),
      ),
    invalidate: () => list.invalidate(),
  };
}
