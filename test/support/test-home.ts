import { afterAll } from 'vitest';
import { createHome, type Home } from './home.ts';

const cleanups: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs when all tests of the file have ended: tests may run at the same time. */
export function afterFile(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** An empty home that is removed when the tests of the file have ended. */
export function testHome(): Home {
  const home = createHome();
  afterFile(() => home.remove());
  return home;
}
