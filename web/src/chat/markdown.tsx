import { useLayoutEffect, useRef } from 'preact/hooks';
import { language as chosenLanguage, t } from '../language/language.ts';
import { type Block, type Blocks, growBlocks, NO_BLOCKS } from './blocks.ts';
import { elementsOf } from './safe-html.ts';

/** `isGrowing`: more text will follow, so the last block is left without colours. */
export function Markdown({ text, isGrowing = false }: { text: string; isGrowing?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Blocks>(NO_BLOCKS);
  const words = chosenLanguage.value;
  useLayoutEffect(() => {
    if (!place.current) return;
    const before = shown.current;
    shown.current = growBlocks(before, text);
    show(place.current, before.blocks, shown.current.blocks);
    if (!isGrowing) void colour(place.current);
  }, [text, isGrowing, words]);
  return <div class="markdown" ref={place} />;
}

/** Replaces the blocks that have changed; the others, and what is selected in them, stay. */
function show(place: HTMLElement, before: readonly Block[], blocks: readonly Block[]): void {
  for (const [index, block] of blocks.entries()) {
    const element = place.children[index] ?? place.appendChild(document.createElement('div'));
    if (element.hasChildNodes() && before[index]?.raw === block.raw) continue;
    element.replaceChildren(elementsOf(block));
    for (const code of element.querySelectorAll('pre > code')) frameCode(code);
    for (const table of element.querySelectorAll('table')) frameTable(table);
  }
  while (place.children.length > blocks.length) place.lastElementChild?.remove();
}

/** A head with the language and a button that copies. */
function frameCode(code: Element): void {
  const block = code.parentElement;
  if (!block) return;
  const head = document.createElement('div');
  head.className = 'code-head';
  const name = document.createElement('span');
  name.textContent = languageOf(code);
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'link-button';
  copy.textContent = t('copy');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent ?? '');
    copy.textContent = t('copied');
    setTimeout(() => {
      copy.textContent = t('copy');
    }, 1_500);
  });
  head.append(name, copy);
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  block.tabIndex = 0;
  frame.append(head, block);
}

function frameTable(table: Element): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

async function colour(place: HTMLElement): Promise<void> {
  const blocks = [...place.querySelectorAll('pre > code[class*="language-"]:not([data-coloured])')];
  if (blocks.length === 0) return;
  const { colouredCode } = await import('./code-colours.ts');
  for (const code of blocks) {
    const coloured = colouredCode(code.textContent ?? '', languageOf(code));
    code.setAttribute('data-coloured', '');
    if (coloured) code.replaceChildren(coloured);
  }
}

function languageOf(code: Element): string {
  return /language-([\w+-]+)/.exec(code.className)?.[1] ?? '';
}
