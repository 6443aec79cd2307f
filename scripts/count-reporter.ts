import type { CanaryReport } from '@patchbay/canaries';
import type { Reporter, TestModule } from 'vitest/node';

/** A run of the whole suite must use this many different secrets. */
const WHOLE_SUITE = { files: 400, canaries: 12 };

/**
 * Ends a run with plain lines that any build server can read: how much was searched for planted secrets, and
 * `12 passed, 0 failed, 1 skipped`.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1;
    console.log(`\n${canaries(modules)}\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}

function canaries(modules: readonly TestModule[]): string {
  const reports = modules.flatMap((module) => (module.meta() as { canaries?: CanaryReport }).canaries ?? []);
  const sum = (name: 'answers' | 'logs' | 'files' | 'bytes') => reports.reduce((all, each) => all + each[name], 0);
  const planted = new Set(reports.flatMap((report) => report.planted)).size;
  if (modules.length >= WHOLE_SUITE.files && planted < WHOLE_SUITE.canaries) process.exitCode = 1;
  const megabytes = (sum('bytes') / 1_000_000).toFixed(1);
  const found = reports.reduce((all, { finds }) => all + finds.length, 0);
  return `${planted} planted secrets: ${found} finds in ${sum('answers')} answers, ${sum('logs')} logs, ${sum('files')} files (${megabytes} MB)`;
}
