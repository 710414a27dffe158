// An entry as a component: it gets what the entry has become, and draws it for a width.
import { type Component, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { Colors } from '../colors.ts';
import { foldedThought } from '../folded-thought.ts';
import { createAnswerBlock } from './answer-block.ts';
import type { Entry, ThoughtEntry } from './entries.ts';
import { shellCard } from './shell-card.ts';
import { fitting, harmless, indented, shortened, shownText, wrappedByLine } from './shown-text.ts';
import { markdownTheme } from './theme.ts';
import { toolCard } from './tool-card.ts';

export interface Block extends Component {
  readonly id: number;
  readonly kind: Entry['kind'];
  update(entry: Entry): void;
}

/** `isUnfolded` is asked with every frame: all of a kind are folded and unfolded at once. */
export function createBlock(first: Entry, colors: Colors, isUnfolded: (kind: Entry['kind']) => boolean): Block {
  const answer =
    (first.kind === 'answer' && !first.isPlain) || first.kind === 'reply'
      ? createAnswerBlock(markdownTheme(colors))
      : undefined;
  let entry = first;
  let drawn: { width: number; isExpanded: boolean; lines: string[] } | undefined;

  return {
    id: first.id,
    kind: first.kind,
    update(next) {
      entry = next;
      drawn = undefined;
    },
    render(width) {
      const expanded = isUnfolded(first.kind);
      if (drawn?.width !== width || drawn.isExpanded !== expanded) {
        // Not with every piece of the text: with every frame.
        if (answer && 'text' in entry) answer.setText(entry.text);
        const lines = answer ? answer.render(width) : linesOf(entry, expanded, width, colors);
        drawn = { width, isExpanded: expanded, lines: lines.map((line) => fitting(harmless(line), width)) };
      }
      return drawn.lines;
    },
    invalidate() {
      drawn = undefined;
      answer?.invalidate();
    },
  };
}

/** Folded, its last sentence once it is over: until then the status line has it. */
function thoughtLines({ text, isOver }: ThoughtEntry, isExpanded: boolean, width: number, colors: Colors): string[] {
  if (isExpanded) return indented(colors.dim(colors.italic(shownText(text.trim()))), width, colors.dim('∴ '), 2);
  const last = foldedThought(text);
  return isOver && last !== '' ? [shortened(colors.dim(`∴ ${shownText(last)}`), width)] : [];
}

function linesOf(entry: Entry, isExpanded: boolean, width: number, colors: Colors): string[] {
  switch (entry.kind) {
    case 'user':
      return [
        ...indented(colors.bold(shownText(entry.text)), width, colors.cyan('› '), 2),
        ...entry.attached.flatMap((name) => indented(colors.dim(shownText(name)), width, colors.dim('  + '), 4)),
      ];
    case 'tool':
      return toolCard(entry, isExpanded, width, colors);
    case 'thought':
      return thoughtLines(entry, isExpanded, width, colors);
    case 'shell':
      return shellCard(entry, isExpanded, width, colors);
    case 'drawn':
      return wrappedByLine(entry.text.replaceAll('\t', '    '), width);
    case 'notice':
      return wrapTextWithAnsi(colors.dim(shownText(entry.text)), width);
    case 'warning':
      return indented(shownText(entry.text), width, colors.yellow('! '), 2);
    case 'failure':
      return indented(colors.red(shownText(entry.text)), width, colors.red('✗ '), 2);
    default:
      return wrapTextWithAnsi(shownText(entry.text), width);
  }
}
