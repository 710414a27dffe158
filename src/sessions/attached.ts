// How attachments appear in a session's context: texts whole, pictures by name. Written and read back by the same file.

export type KeptAttachment = { kind: 'text'; name: string; text: string } | { kind: 'image'; name: string };

export function attachedText({ name, text }: { name: string; text: string }): string {
  return `<attached name=${JSON.stringify(name)}>\n${text}\n</attached>`;
}

export function attachedPicture(name: string): string {
  return `[picture ${name} was attached]`;
}

/** What was attached, from the beginning of a context; `rest` is what follows. */
export function readAttached(context: string): { attachments: KeptAttachment[]; rest: string } {
  const attachments: KeptAttachment[] = [];
  let rest = context;
  for (;;) {
    const found = nextText(rest) ?? nextPicture(rest);
    if (!found) return { attachments, rest };
    attachments.push(found.attachment);
    rest = rest.slice(found.length).replace(/^\n\n/, '');
  }
}

interface Found {
  attachment: KeptAttachment;
  length: number;
}

/** Ends where nothing or another context follows: the text may hold the closing mark itself. */
function nextText(context: string): Found | undefined {
  const [head, quoted] = /^<attached name=("(?:[^"\\\n]|\\.)*")>\n/.exec(context) ?? [];
  if (head === undefined || quoted === undefined) return undefined;
  const end = /\n<\/attached>(?=$|\n\n(?:<attached name="|\[picture |\[tool ))/.exec(context.slice(head.length - 1));
  if (!end) return undefined;
  const text = context.slice(head.length, head.length - 1 + end.index);
  return {
    attachment: { kind: 'text', name: JSON.parse(quoted) as string, text },
    length: head.length - 1 + end.index + end[0].length,
  };
}

function nextPicture(context: string): Found | undefined {
  const [whole, name] = /^\[picture ([^\n]*) was attached\](?=$|\n\n)/.exec(context) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  return { attachment: { kind: 'image', name }, length: whole.length };
}
