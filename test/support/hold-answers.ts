// The answers of an operation, held back from a page until they are let through.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';

export interface HeldAnswers {
  /** Resolves when the gateway has given so many. */
  given(count: number): Promise<unknown>;
  /** Also those that come later. */
  letThrough(): Promise<void>;
}

export async function holdAnswers(page: Page, operation: string): Promise<HeldAnswers> {
  const held: (() => Promise<void>)[] = [];
  let isHeld = true;
  await page.route(`**/${operation}`, async (route) => {
    const response = await route.fetch();
    const answer = () => route.fulfill({ response });
    if (isHeld) held.push(answer);
    else await answer();
  });
  return {
    given: (count) => eventually(() => expect(held).toHaveLength(count)),
    async letThrough() {
      isHeld = false;
      await Promise.all(held.map((answer) => answer()));
    },
  };
}
