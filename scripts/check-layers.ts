// Imports only point down: a file may import from its own folder or from a lower layer. Folders on one level are
// siblings and never import each other. A folder that is not listed here is an error: place it first. Only the composition root
// and tests know an implementation of the storage. No file imports itself through others, types included. A package is used
// where its table says. An import whose path is computed cannot be checked, so there is none.
import { posix } from 'node:path';
import { findCycles } from './find-cycles.ts';
import { importsOf, packagesOf, report, sourceFiles } from './source-files.ts';

const LAYERS: string[][] = [
  ['index.ts'],
  ['cli', 'library'],
  ['console'],
  ['operations'],
  ['runtime'],
  ['gateway'],
  ['pipeline'],
  ['tools'],
  [
    'adapters',
    'channels',
    'sessions',
    'memory',
    'schedule',
    'skills',
    'instructions',
    'agents',
    'docs',
    'mcp',
    'workspace',
    'sandbox',
    'hooks',
    'undo',
  ],
  ['storage'],
  ['documents'],
  ['vocabulary'],
  ['config'],
  ['observe'],
  ['lib'],
];

/** The folders that may use a package. One that is not listed is used nowhere in src. */
const PACKAGES: Record<string, readonly string[]> = {
  '@clack/prompts': ['cli'],
  '@earendil-works/pi-ai': ['adapters'],
  '@earendil-works/pi-tui': ['cli'],
  '@hono/node-server': ['gateway', 'mcp'],
  '@huggingface/tokenizers': ['memory'],
  '@hyzyla/pdfium': ['documents'],
  '@larksuiteoapi/node-sdk': ['channels'],
  '@modelcontextprotocol/client': ['mcp'],
  '@modelcontextprotocol/server': ['mcp'],
  '@mozilla/readability': ['documents'],
  commander: ['cli'],
  croner: ['schedule'],
  cronstrue: ['schedule'],
  diff: ['undo', 'tools'],
  grammy: ['channels'],
  hono: ['gateway', 'mcp'],
  'html-encoding-sniffer': ['documents'],
  lainclaw: ['library'],
  linkedom: ['documents'],
  marked: ['channels'],
  pg: ['storage'],
  pgpass: ['storage'],
  picocolors: ['cli'],
  picomatch: ['tools'],
  saxes: ['documents'],
  sharp: ['documents'],
  typebox: ['tools'],
  unbash: ['tools'],
  yaml: ['lib', 'memory'],
};

/** Loaded by its name, because it is not a dependency: a person who wants it installs it. */
const COMPUTED_IMPORTS = ['src/memory/embeddings/onnx-session.ts'];
const IMPLEMENTATIONS = ['src/storage/local/', 'src/storage/postgres/'];
const COMPOSITION_ROOT = 'src/runtime/';

const level = new Map(LAYERS.flatMap((folders, index) => folders.map((folder) => [folder, index] as const)));
const findings: string[] = [];
const graph = new Map<string, string[]>();

for (const { path, text } of sourceFiles('src')) {
  const from = layerOf(path);
  if (!level.has(from)) {
    findings.push(`${path}: src/${from} is in no layer`);
    continue;
  }
  const isTest = path.endsWith('.test.ts');
  const targets = importsOf(text).map((specifier) => posix.normalize(posix.join(posix.dirname(path), specifier)));
  graph.set(path, targets);
  for (const target of targets) checkImport(path, target, isTest);
  if (isTest) continue;
  for (const name of packagesOf(text))
    if (!PACKAGES[name]?.includes(from))
      findings.push(`${path}: ${from} must not use the package ${name} (see PACKAGES in scripts/check-layers.ts)`);
  if (/\bimport\(\s*[^'"\s)]/.test(text) && !COMPUTED_IMPORTS.includes(path))
    findings.push(`${path}: an import() needs a path written as a plain string`);
}
// The web console talks to the HTTP API alone: of the program it knows only types.
for (const { path, text } of sourceFiles('web'))
  for (const [line] of text.matchAll(/^import (?!type\b).*from '(?:\.\.\/)+src\/.*$/gm))
    findings.push(`${path}: the console may only import types of the program: ${line}`);
for (const cycle of findCycles(graph)) findings.push(`these files import each other: ${cycle.join(', ')}`);
report('layers', findings);

function checkImport(path: string, target: string, isTest: boolean): void {
  const from = layerOf(path);
  if (!target.startsWith('src/')) {
    if (!isTest && !target.startsWith('bin/')) findings.push(`${path}: imports ${target}, outside src`);
    return;
  }
  const implementation = IMPLEMENTATIONS.find((folder) => target.startsWith(folder));
  const mayImportIt =
    implementation === undefined || path.startsWith(implementation) || path.startsWith(COMPOSITION_ROOT);
  if (!mayImportIt && !isTest) findings.push(`${path}: only ${COMPOSITION_ROOT} may import ${target}`);
  const to = layerOf(target);
  if (to === from || (level.get(to) ?? -1) > (level.get(from) ?? 0)) return;
  findings.push(`${path}: ${from} must not import ${to} (${target})`);
}

function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}
