import { expect, it } from 'vitest';
import { installCommand } from './install-command.ts';

it.each([
  ['/usr/lib/node_modules/lainclaw/dist/chunks', 'npm install -g sharp'],
  ['/app/node_modules/lainclaw/dist', 'npm install --prefix /app sharp'],
  ['/src/lainclaw/dist/chunks', 'npm install --prefix /src/lainclaw --no-save sharp'],
])('a package is installed where the program in %s looks for it', (program, command) => {
  expect(installCommand('sharp', program)).toBe(command);
});
