// Imports only point down: a file may import from its own folder or from a lower layer. Folders on one level are
// siblings and never import each other. A folder that is not listed here is an error: place it first. Only the composition root
// and tests know an implementation of the storage.
import { posix } from 'node:path';
import { importsOf, report, sourceFiles } from './source-files.ts';

const LAYERS: string[][] = [
  ['index.ts'],
  ['cli', 'library'],
  ['operations'],
  ['runtime'],
  ['console'],
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
    'undo',
  ],
  ['storage'],
  ['vocabulary'],
  ['config'],
  ['observe'],
  ['lib'],
];

const LOCAL_STORAGE = 'src/storage/local/';
const COMPOSITION_ROOT = 'src/runtime/';

const level = new Map(LAYERS.flatMap((folders, index) => folders.map((folder) => [folder, index] as const)));
const findings: string[] = [];

for (const { path, text } of sourceFiles('src')) {
  const from = layerOf(path);
  if (!level.has(from)) {
    findings.push(`${path}: src/${from} is in no layer`);
    continue;
  }
  const isTest = path.endsWith('.test.ts');
  for (const specifier of importsOf(text)) {
    const target = posix.normalize(posix.join(posix.dirname(path), specifier));
    if (!target.startsWith('src/')) {
      if (!isTest && !target.startsWith('bin/')) findings.push(`${path}: imports ${target}, outside src`);
      continue;
    }
    const mayImportLocal = isTest || path.startsWith(LOCAL_STORAGE) || path.startsWith(COMPOSITION_ROOT);
    if (target.startsWith(LOCAL_STORAGE) && !mayImportLocal)
      findings.push(`${path}: only ${COMPOSITION_ROOT} may import ${LOCAL_STORAGE} (${specifier})`);
    const to = layerOf(target);
    if (to === from || (level.get(to) ?? -1) > (level.get(from) ?? 0)) continue;
    findings.push(`${path}: ${from} must not import ${to} (${specifier})`);
  }
}
report('layers', findings);

function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}
