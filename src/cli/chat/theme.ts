// How things look. Without colours (NO_COLOR) the signs alone say everything.
import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@earendil-works/pi-tui';
import type { Colors } from '../colors.ts';

export function markdownTheme(colors: Colors): MarkdownTheme {
  return {
    heading: (text) => colors.bold(colors.cyan(text)),
    link: colors.cyan,
    linkUrl: colors.dim,
    code: colors.yellow,
    codeBlock: colors.green,
    codeBlockBorder: colors.dim,
    quote: colors.italic,
    quoteBorder: colors.dim,
    hr: colors.dim,
    listBullet: colors.cyan,
    bold: colors.bold,
    italic: colors.italic,
    strikethrough: colors.strikethrough,
    underline: colors.underline,
  };
}

export function editorTheme(colors: Colors): EditorTheme {
  return { borderColor: colors.dim, selectList: selectListTheme(colors) };
}

export function selectListTheme(colors: Colors): SelectListTheme {
  return {
    selectedPrefix: colors.cyan,
    selectedText: colors.cyan,
    description: colors.dim,
    scrollInfo: colors.dim,
    noMatch: colors.dim,
  };
}
