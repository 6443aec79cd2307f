import { defineConfig } from 'vitest/config';

// Tests run from `src` through the `source` condition. Never add `import` or `module`: Vitest hands these to its
// workers as --conditions, and then `require('pg-pool')` inside pg loads an ES module and fails.
const conditions = ['source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,plugins,examples}/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/count-reporter.ts'],
  },
});
