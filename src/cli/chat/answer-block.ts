// A text that grows, as Markdown. What lies before the last block of a long text cannot change any more: it is drawn once and kept,
// so that a frame costs the same however long the answer has become.
import { type Component, Markdown, type MarkdownTheme, Marked } from '@earendil-works/pi-tui';
import { shownMarkdown } from './shown-text.ts';

const SPLIT_FROM = 4_000;

export interface AnswerBlock extends Component {
  setText(text: string): void;
}

export function createAnswerBlock(theme: MarkdownTheme, splitFrom = SPLIT_FROM): AnswerBlock {
  const lexer = new Marked();
  const piece = (text: string): Markdown => new Markdown(text, 0, 0, theme, undefined, { renderLatex: false });
  let settledText = '';
  let settled: Markdown[] = [];
  const tail = piece('');

  function settle(pending: string): string {
    const tokens = lexer.lexer(pending);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const done = tokens
      .slice(0, Math.max(0, last))
      .map(({ raw }) => raw)
      .join('');
    // What the lexer has changed on its way cannot be told apart: then all of it stays open.
    if (done.trim() === '' || !pending.startsWith(done)) return pending;
    settled.push(piece(done.trim()));
    settledText += done;
    return pending.slice(done.length);
  }

  return {
    setText(text) {
      const shown = shownMarkdown(text);
      if (!shown.startsWith(settledText)) {
        settledText = '';
        settled = [];
      }
      const pending = shown.slice(settledText.length);
      tail.setText(pending.length > splitFrom ? settle(pending) : pending);
    },
    render(width) {
      const parts = [...settled, tail]
        .map((each) => each.render(width).map((line) => line.trimEnd()))
        .filter((lines) => lines.length > 0);
      return parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
    },
    invalidate() {
      for (const each of [...settled, tail]) each.invalidate();
    },
  };
}
