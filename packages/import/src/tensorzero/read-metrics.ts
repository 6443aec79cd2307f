import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';

/** Metrics of feedback, which apply to every function in both systems. */
export type Metrics = Readonly<Record<string, { readonly optimize: 'max' | 'min' }>>;

export function readMetrics(root: Source, report: Report): Metrics {
  const metrics: Record<string, Metrics[string]> = {};
  for (const [name, source] of root.member('metrics')?.members() ?? []) {
    const optimize = source.text('optimize') === 'min' ? 'min' : 'max';
    const type = source.text('type');
    if (source.text('level') === 'episode') {
      report.notMapped(source, 'feedback is about one call: there are no episodes');
    } else if (!/^[a-z][a-zA-Z0-9_-]{0,63}$/.test(name)) {
      report.notMapped(source, 'its name must begin with a small letter, and have letters, digits, _ and - only');
    } else {
      metrics[name] = { optimize };
      if (type === 'float') report.changed(source, `the metric ${name}: its values are from 0 to 1`);
      else report.mapped(source, `the metric ${name}`);
    }
  }
  return metrics;
}
