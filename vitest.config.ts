import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './scripts/test-order/long-files-first.ts';

// Workers and the servers that tests start inherit it: a server that finds compiled modules starts in half the time.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/node-compile', import.meta.url));

// Tests run from `src` through the `source` condition. Never add `import` or `module`: Vitest hands these to its
// workers as --conditions, and then `require('pg-pool')` inside pg loads an ES module and fails.
const conditions = ['source', 'node'];

export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      '{packages,plugins,examples}/*/src/**/*.test.ts',
      'plugins/*/hostile/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    // Workers run hundreds of files: with the heap that V8 begins with, a twentieth of all CPU went into collecting it.
    execArgv: ['--min-semi-space-size=32', '--initial-old-space-size=500'],
    // Many tests wait for processes and sockets: a worker for each core would leave cores idle.
    maxWorkers: availableParallelism() + 4,
    // `vitest run --mode full`, as `npm run test:full`: what is smaller or left out otherwise, at its full size.
    env: mode === 'full' ? { PATCHBAY_TEST_SIZE: 'full' } : {},
    // A long file that starts last would run alone in the end.
    sequence: { sequencer: LongFilesFirst },
    // No module here has state: files share what they import, which takes half the time of small ones.
    isolate: false,
    // Node imports the sources by itself, as it does in servers: transforming them took a third of the CPU of small tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Runs of everything (`--mode small`, `--mode full`) start more than a hundred servers: it pays to bundle them first.
    globalSetup: ['./scripts/test-run.ts', ...(mode === 'test' ? [] : ['./scripts/server-bundle/bundle-server.ts'])],
    setupFiles: [
      './scripts/server-bundle/use-program-bundle.ts',
      // Searches what the tests of each file leave for planted secrets.
      './packages/canaries/src/search-after-tests.ts',
    ],
    // A test that waits for an event gives up when even a busy machine must have had time for it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most polls ask a server: each costs it and its test some milliseconds of CPU.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    reporters: ['default', './scripts/count-reporter.ts'],
  },
}));
