// The API as one readable page: no script, its style in a file of its own.
import { OPERATIONS } from '../operations/all.ts';
import type { Operation } from '../operations/operation.ts';

export function docsPage({ version }: { version: string }): string {
  const nouns = [...new Set(OPERATIONS.map(({ name }) => name.split('.')[0] ?? name))];
  const contents = nouns.map((noun) => `<a href="docs#${escaped(noun)}">${escaped(noun)}</a>`).join(' ');
  const sections = nouns.map((noun) => {
    const own = OPERATIONS.filter(({ name }) => name.startsWith(`${noun}.`));
    return `<section><h2 id="${escaped(noun)}">${escaped(noun)}</h2>${own.map(shown).join('')}</section>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Lainclaw API</title><link rel="stylesheet" href="docs.css"></head><body>
<header><h1>Lainclaw API</h1><p>Version ${escaped(version)}. <a href="openapi.json">OpenAPI 3.1</a>. Call an operation with
<code>POST /api/operations/&lt;name&gt;</code> and its input as JSON.</p><nav>${contents}</nav></header>
<main>${sections.join('\n')}</main></body></html>`;
}

function shown({ name, class: kind, summary, input, output }: Operation): string {
  const required = new Set(input.required ?? []);
  const rows = Object.entries(input.properties).map(([field, schema]) => {
    const { description = '' } = schema as { description?: string };
    return `<tr><td><code>${escaped(field)}</code>${required.has(field) ? ' *' : ''}</td><td>${escaped(typeOf(schema))}</td><td>${escaped(description)}</td></tr>`;
  });
  const fields =
    rows.length === 0
      ? '<p>No input.</p>'
      : `<table><thead><tr><th>Input</th><th>Type</th><th>About</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  return `<article><h3 id="${escaped(name)}"><code>${escaped(name)}</code> <small class="${kind}">${kind}</small></h3>
<p>${escaped(summary)}</p>${fields}<details><summary>Output</summary><pre tabindex="0">${escaped(JSON.stringify(output, undefined, 2))}</pre></details></article>`;
}

function typeOf(schema: unknown): string {
  const { type, enum: values, items, anyOf } = schema as Record<string, unknown>;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `list of ${items === undefined ? 'anything' : typeOf(items)}`;
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' | ');
  return typeof type === 'string' ? type : 'anything';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export const DOCS_STYLE = `:root { color-scheme: light dark; background: light-dark(#fff, #17181c); color: light-dark(#1b1c20, #e6e6e9); }
a { color: light-dark(#0b5394, #9cc7ff); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
nav a { display: inline-block; margin-right: 0.75rem; }
article { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.5rem 0; }
h3 { margin: 0.5rem 0; }
small { font-weight: normal; opacity: 0.75; }
small.danger { color: light-dark(#a40000, #ff8a80); opacity: 1; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.75rem 0.2rem 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; font-size: 0.85rem; }
`;
