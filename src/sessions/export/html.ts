// One file that needs nothing else: no script, no picture, no address is ever loaded, and a policy in its head holds the
// browser to that. Everything that did not come from us is escaped text.
import { type Block, blocksOf, damageBlock, type LocalClock, type Phrase, sessionBlock } from './blocks.ts';
import type { Exporter } from './exporter.ts';

const STATES = { done: '✓', failed: '✗', unknown: '?' } as const;

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d0d7de, #3d444d); --soft: light-dark(#59636e, #9198a1);
  --user: light-dark(#ddf4ff, #12263f); --tool: light-dark(#f6f8fa, #1b2028); --warn: light-dark(#9a6700, #d29922); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 54rem; font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 2.5rem 0 .75rem;
  padding-top: 1rem; border-top: 1px solid var(--line); }
ul { padding-left: 1.2rem; color: var(--soft); }
.block { margin: .75rem 0; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: .5rem; }
.user { background: var(--user); } .tool, .system { background: var(--tool); }
header { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; } header b { color: CanvasText; }
pre { margin: .4rem 0 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
.tool pre, .note pre, .system pre { font: .85rem/1.45 ui-monospace, monospace; max-height: 24rem; overflow: auto; }
.tool pre + pre { border-top: 1px dashed var(--line); padding-top: .4rem; }
.note { margin: .5rem 0; font-size: .85rem; color: var(--soft); } .warning span { color: var(--warn); font-weight: 600; }
code { font: .9em ui-monospace, monospace; }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; font-size: 11pt; }
  .tool pre, .note pre, .system pre { max-height: none; overflow: visible; } h2, header { break-after: avoid; } }
`;

export function createHtmlExporter(title: string, clock: LocalClock): Exporter {
  return {
    begin: () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
`,
    beginSession: (session) => `<article>\n${rendered(sessionBlock(session, clock))}`,
    item: (item) => blocksOf(item, clock).map(rendered).join(''),
    endSession: (damage) => `${damage.count > 0 ? rendered(damageBlock(damage)) : ''}</article>\n`,
    end: () => '</body>\n</html>\n',
  };
}

function rendered(block: Block): string {
  switch (block.kind) {
    case 'session':
      return `<h1>Session ${code(block.key)}</h1>\n<ul>${block.facts.map((fact) => `<li>${phrase(fact)}</li>`).join('')}</ul>\n`;
    case 'turn':
      return `<h2>${escaped(block.title)}</h2>\n${block.facts.map((fact) => `<div class="note">${phrase(fact)}</div>\n`).join('')}`;
    case 'speech':
      return `<section class="block ${block.role}"><header><b>${block.title}</b>${aside(block.facts)}</header>${pre(block.text)}</section>\n`;
    case 'tool':
      return `<section class="block tool"><header><b>${STATES[block.state]} ${code(block.name)}</b>${aside(block.facts)}</header>${pre(block.args)}${pre(block.result)}</section>\n`;
    case 'note': {
      const text = block.text === undefined ? '' : pre(block.text);
      return `<div class="note${block.isWarning ? ' warning' : ''}"><span>${phrase(block.phrase)}</span>${text}</div>\n`;
    }
  }
}

/** A parser drops the first newline of a `pre`: it is given one to drop. */
function pre(text: string): string {
  return `<pre dir="auto">\n${escaped(text)}</pre>`;
}

function aside(facts: readonly Phrase[]): string {
  return facts.map((fact) => ` · ${phrase(fact)}`).join('');
}

function phrase(parts: Phrase): string {
  return parts.map((part) => (typeof part === 'string' ? escaped(part) : code(part.value))).join('');
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
