import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line that people and scripts can read: `N passed, N failed`. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    let broken = unhandled.length;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
      if (tests.length === 0 || module.errors().length > 0) broken += 1;
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    // After the default reporter's own summary.
    process.on('exit', () => console.log(`${counts.passed} passed, ${counts.failed + broken} failed${skipped}`));
  }
}
