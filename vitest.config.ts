import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { leanOpenAiSdk } from './scripts/lean-openai-sdk.ts';

export default defineConfig({
  plugins: [leanOpenAiSdk],
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('test/support/fast-check.ts', import.meta.url)) },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // Starts nothing before a test asks for PostgreSQL.
    globalSetup: ['./test/support/postgres-cluster.ts'],
    // So that the client which the build puts in the place of OpenAI's SDK is the one that is tested.
    server: { deps: { inline: [/@earendil-works[\\/]pi-ai/] } },
    reporters: ['default', './test/support/plain-reporter.ts'],
    // Files share no port and no path, so two run at once also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only what hangs runs into it: nothing else in a test has a deadline, so that a busy machine fails none.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
