import { expect, test } from 'vitest';
import { coversLease } from './path-inside.ts';

const ROOT = '/home/me/work';
const lease = (directory: string): string => `${ROOT}${directory}/.lainclaw-12-34-lease-x`;

test.each([
  ['.vscode', '/.vscode'],
  ['.git/hooks', '/.git/hooks'],
  ['.git/hooks', '/.git'],
  ['.config/environment.d', '/.config'],
])('protecting %s covers a lease in %s', (path, directory) => {
  expect(coversLease(`${ROOT}/${path}`, lease(directory), ROOT)).toBe(true);
});

test.each([
  ['.git/hooks', ''],
  ['.git/hooks', '/sub/.git'],
  ['.git/hooks', '/.gi'],
  ['.git/hooks', '/.vscode'],
  ['.vscode', '/.vscode-server'],
])('protecting %s does not cover a lease in the directory "%s"', (path, directory) => {
  expect(coversLease(`${ROOT}/${path}`, lease(directory), ROOT)).toBe(false);
});
