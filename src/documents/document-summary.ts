import type { DocumentText } from './document.ts';

/** One line: what the document is, what of it follows, and how to read on. */
export function documentSummary({ label, title, parts, next, notes }: DocumentText): string {
  const facts = [title ? `${label} "${title.slice(0, 200)}"` : label];
  if (parts) {
    const { unit, count, first, last, names } = parts;
    const named = names ? `: ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}` : '';
    facts.push(`${count} ${unit}${count === 1 ? '' : 's'}${named}`);
    if (count > 1) facts.push(first === last ? `${unit} ${first} follows` : `${unit}s ${first}-${last} follow`);
  }
  facts.push(...notes);
  if (next) {
    const from = [
      next.pages === undefined ? '' : `pages "${next.pages}"`,
      next.startLine === undefined ? '' : `startLine ${next.startLine}`,
    ];
    facts.push(`read on with ${from.filter((each) => each !== '').join(', ')}`);
  }
  return `[${facts.join('; ')}]`;
}

const MOST_NAMES = 30;
