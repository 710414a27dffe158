// A text that grows, as Markdown. What lies before its last block cannot change any more, nor can the lines of a long code block or the items
// of a long list before the last: once there is enough of it, it is drawn a last time and kept, so that a frame costs the same however long the
// answer has become. A code block that is cut so is opened again for the rest, and the line that opens it is not shown twice.
import { type Component, Markdown, type MarkdownTheme, Marked, type Tokens } from '@earendil-works/pi-tui';
import { shownMarkdown } from './shown-text.ts';
import { type Alignment, alignTables } from './table-alignment.ts';

const SPLIT_FROM = 4_000;
/** The blank at which the library breaks a line stays at the next one's beginning when a colour ends right before it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const STRAY_BLANK = /^(\s*(?:\x1b\[[\d;]*m)*\x1b\[(?:0|2[2-9]|39|49)?m) (?=\S)/;
const OPENER = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/;
const CLOSED = /\n {0,3}(?:`{3,}|~{3,})[ \t]*\n*$/;

export interface AnswerBlock extends Component {
  setText(text: string): void;
}

interface Piece {
  markdown: Markdown;
  /** Of its tables, in their order. */
  tables: readonly (readonly Alignment[])[];
  /** Close to the one before, or with a line between. */
  isClose: boolean;
  /** Lines that only open or close what was cut. */
  hidesFirst: boolean;
  hidesLast: boolean;
}

/** What can be kept of the text, and how the rest continues. */
interface Cut {
  kept: string;
  /** As it is drawn, when that is not what was written. */
  drawn?: string;
  hidesLast?: boolean;
  /** The first part of the block, in front of the rest. */
  reopened?: string;
  isRestClose: boolean;
}

export function createAnswerBlock(theme: MarkdownTheme, splitFrom = SPLIT_FROM): AnswerBlock {
  const lexer = new Marked();
  const create = (text: string): Markdown => new Markdown(text, 0, 0, theme, undefined, { renderLatex: false });
  const tail = create('');
  let keptText = '';
  let kept: Piece[] = [];
  let reopened = '';
  let isRestClose = false;
  let tailTables: Piece['tables'] = [];

  /** Keeps what it can of the text, and returns what is left of it. */
  function keep(text: string): string {
    const cut = cutOf(text, lexer);
    if (!cut) return text;
    const drawn = (cut.drawn ?? cut.kept).trimEnd();
    kept.push({
      markdown: create(drawn),
      tables: tablesIn(drawn, lexer),
      isClose: isRestClose,
      hidesFirst: reopened !== '',
      hidesLast: cut.hidesLast ?? false,
    });
    keptText += cut.kept.slice(reopened.length);
    reopened = cut.reopened ?? '';
    isRestClose = cut.isRestClose;
    return reopened + text.slice(cut.kept.length);
  }

  return {
    setText(text) {
      const shown = shownMarkdown(text);
      if (!shown.startsWith(keptText)) {
        keptText = '';
        kept = [];
        reopened = '';
        isRestClose = false;
      }
      const rest = reopened + shown.slice(keptText.length);
      const left = rest.length > splitFrom ? keep(rest) : rest;
      tail.setText(left);
      tailTables = tablesIn(left, lexer);
    },
    render(width) {
      const last: Piece = {
        markdown: tail,
        tables: tailTables,
        isClose: isRestClose,
        hidesFirst: reopened !== '',
        hidesLast: false,
      };
      const lines: string[] = [];
      for (const { markdown, tables, isClose, hidesFirst, hidesLast } of [...kept, last]) {
        const drawn = alignTables(markdown.render(width), tables).map((line) =>
          line.trimEnd().replace(STRAY_BLANK, '$1'),
        );
        const shown = drawn.slice(hidesFirst ? 1 : 0, hidesLast ? -1 : undefined);
        if (lines.length > 0 && shown.length > 0 && !isClose) lines.push('');
        lines.push(...shown);
      }
      return lines;
    },
    invalidate() {
      for (const { markdown } of kept) markdown.invalidate();
      tail.invalidate();
    },
  };
}

/** Most texts have none: the lexer is asked only where one may be. */
function tablesIn(text: string, lexer: Marked): Piece['tables'] {
  if (!/^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\||$)/m.test(text)) return [];
  return lexer.lexer(text).flatMap((token) => (token.type === 'table' ? [(token as Tokens.Table).align] : []));
}

function cutOf(text: string, lexer: Marked): Cut | undefined {
  const tokens = lexer.lexer(text);
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  const token = tokens[last];
  if (!token) return undefined;
  const before = tokens.slice(0, last).reduce((raw, each) => raw + each.raw, '');
  // What the lexer has changed cannot be recognised: then nothing is cut.
  if (!text.startsWith(before)) return undefined;
  if (before.trim() !== '') return { kept: before, isRestClose: false };
  if (token.type === 'list') return cutOfList(text, before, token as Tokens.List);
  return token.type === 'code' ? cutOfCode(text) : undefined;
}

/** All items but the last two: the last is still being written, and decides about the one before it. */
function cutOfList(text: string, before: string, { items, loose }: Tokens.List): Cut | undefined {
  const kept = before + items.slice(0, -2).reduce((raw, { raw: item }) => raw + item, '');
  // A list that becomes loose later must not have been drawn as a tight one.
  if (items.length < 3 || loose || !text.startsWith(kept) || !kept.endsWith('\n')) return undefined;
  return { kept, isRestClose: true };
}

/** Whole lines of a code block that is not closed yet; blank ones at the end of them stay with the rest. */
function cutOfCode(text: string): Cut | undefined {
  const [opener, fence = ''] = OPENER.exec(text) ?? [];
  if (opener === undefined || CLOSED.test(text)) return undefined;
  const whole = text.slice(opener.length, text.lastIndexOf('\n') + 1).trimEnd();
  const end = opener.length + whole.length + 1;
  if (whole === '' || text[end - 1] !== '\n') return undefined;
  const kept = text.slice(0, end);
  return { kept, drawn: `${kept}${fence}`, hidesLast: true, reopened: opener, isRestClose: true };
}
