import { afterAll, beforeEach } from 'vitest';
import { type CanaryReport, watchCanaries } from './canary-watch.ts';

// A set-up file: it runs before each file of tests, and has the last word after it. A leaked secret fails the file.

declare module 'vitest' {
  interface TaskMeta {
    canaries?: CanaryReport;
  }
}

let test = 'before the first test';
let file: { readonly meta: { canaries?: CanaryReport } } | undefined;
const watch = watchCanaries(() => test);

beforeEach(({ task }) => {
  test = `during or soon after "${task.name}"`;
  file = task.file;
});

afterAll(() => {
  watch.stop();
  const report = watch.report();
  if (file) file.meta.canaries = report;
  if (report.finds.length > 0) throw new Error(`planted secrets got out:\n${report.finds.join('\n')}`);
});
