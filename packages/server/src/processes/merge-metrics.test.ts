import { expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.ts';

const text = (requests: number, memory: number, health: number, delay: number) => `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/a b"} ${requests}
# HELP process_memory_usage_bytes Memory.
# TYPE process_memory_usage_bytes gauge
process_memory_usage_bytes ${memory}
# HELP patchbay_part_health Health.
# TYPE patchbay_part_health gauge
patchbay_part_health{part="storage"} ${health}
# HELP nodejs_eventloop_delay_max_seconds Delay.
# TYPE nodejs_eventloop_delay_max_seconds gauge
nodejs_eventloop_delay_max_seconds ${delay}
`;

it('metrics of processes are added up, or the worst of them is taken', () => {
  expect(mergeMetrics([text(3, 100, 1, 0.5), text(4, 50, 0.5, 0.25)])).toBe(text(7, 150, 0.5, 0.5));
});

it('the counters of processes that have ended are kept', () => {
  const ended = mergeMetrics([], [text(3, 100, 0, 9), text(1, 100, 0, 9)]);
  expect(mergeMetrics([text(4, 50, 1, 0.25)], [ended])).toBe(text(8, 50, 1, 0.25));
});

it('series that only one process has are kept', () => {
  const other = '# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{route="/b"} 2\n';
  expect(mergeMetrics([other, other.replace('/b', '/c')])).toBe(`${other}requests_total{route="/c"} 2\n`);
});
