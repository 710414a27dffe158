import { onTestFinished } from 'vitest';
import { createHome, type Home } from './home.ts';

/** An empty home that is removed when the running test ends. */
export function testHome(): Home {
  const home = createHome();
  onTestFinished(() => home.remove());
  return home;
}
