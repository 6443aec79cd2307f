import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run from `src` through the `source` condition. Never add `import` or `module`: Vitest hands these to its
// workers as --conditions, and then `require('pg-pool')` inside pg loads an ES module and fails.
const conditions = ['source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,plugins,examples}/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Many tests wait for processes and sockets: a worker for each core would leave cores idle.
    maxWorkers: availableParallelism() + 1,
    // No module here has state: files share what they import, which takes half the time of small ones.
    isolate: false,
    // Searches what the tests of each file leave for planted secrets.
    setupFiles: ['./packages/canaries/src/search-after-tests.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Who waits for an event gives up when the machine must have had time for it, not after a second.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default', './scripts/count-reporter.ts'],
  },
});
