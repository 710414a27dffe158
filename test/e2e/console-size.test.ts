import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const FOLDER = 'dist/web';
const LIMIT = 120_000;

it('the first load, with the chat and the longest dictionary, is at most 120 kB gzipped', () => {
  const html = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  const linked = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = '']) => path);
  const later = ['home', 'chat-page', 'ru'].flatMap((name) => globSync(`${FOLDER}/assets/${name}-*.js`));
  expect(later).toHaveLength(3);
  const files = withImports([...linked, ...later.map((path) => `assets/${basename(path)}`)]);
  const bytes = files.reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(FOLDER, path))).length,
    gzipSync(html).length,
  );
  expect(bytes).toBeLessThanOrEqual(LIMIT);
});

it('the page holds no script or style of its own: the content policy would refuse it', () => {
  const html = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
  expect(html).not.toMatch(/https?:\/\//);
});

/** The files, and everything that they import at once. */
function withImports(paths: readonly string[]): string[] {
  const found = new Set<string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (!path.endsWith('.js')) continue;
    const code = readFileSync(join(FOLDER, path), 'utf8');
    for (const [, name = ''] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
      waiting.push(`assets/${name}`);
  }
  return [...found];
}
