// Markdown to elements. What a model wrote is never trusted: DOMPurify decides what remains, links open elsewhere, and pictures of
// other hosts, which would tell those hosts that somebody reads, become links.
import DOMPurify from 'dompurify';
import { parser, type Token } from 'marked';
import type { Block } from './blocks.ts';

const purifier = DOMPurify(window);

purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement) {
    node.target = '_blank';
    node.rel = 'noopener noreferrer';
  }
  if (node instanceof HTMLImageElement && !/^(data:image\/|blob:)/.test(node.getAttribute('src') ?? '')) {
    const link = document.createElement('a');
    link.href = node.getAttribute('src') ?? '';
    link.textContent = node.alt || link.href;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    node.replaceWith(link);
  }
  // The marks of a task list become text: nothing that looks like a field of the page remains.
  if (node instanceof HTMLInputElement) node.replaceWith(node.checked ? '☑ ' : '☐ ');
  // Other classes are those of the console itself: with them a text could look like a part of the page.
  const classes = [...node.classList].filter((name) => /^(language|hljs)-/.test(name));
  if (classes.length > 0) node.setAttribute('class', classes.join(' '));
  else node.removeAttribute('class');
});

const ALLOWED = {
  RETURN_DOM_FRAGMENT: true,
  FORBID_TAGS: ['style', 'form', 'button', 'iframe', 'audio', 'video', 'svg', 'math', 'dialog', 'select', 'textarea'],
  FORBID_ATTR: ['style', 'id', 'name'],
} as const;

/** Headings are one level lower: the page has its own. */
export function elementsOf(block: Block): DocumentFragment {
  const tokens = block.tokens.map((token) =>
    token.type === 'heading' ? { ...token, depth: Math.min(6, token.depth + 1) } : token,
  );
  return safeElements(parser(tokens as Token[]));
}

export function safeElements(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ...ALLOWED,
    FORBID_TAGS: [...ALLOWED.FORBID_TAGS],
    FORBID_ATTR: [...ALLOWED.FORBID_ATTR],
  });
}
