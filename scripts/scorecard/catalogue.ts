/** A measurement that can be repeated. */
export interface ScorecardRun {
  readonly name: string;
  /** The part of a page that shows it: `<!-- begin … -->`. */
  readonly section: Section;
  /** Script and arguments as the figures on the page are meant. */
  readonly full: string;
  /** The same in seconds: says whether it works, and nothing about speed. */
  readonly small: string;
}

export type Section = 'overview' | 'sizing' | 'routing' | 'gateway' | 'executions' | 'webhooks' | 'faults' | 'hostile';

/** The pages of the scorecard, and which sections each has. */
export const scorecardPages: Readonly<Record<string, readonly Section[]>> = {
  'operate/sizing.md': ['sizing'],
  'performance.md': ['overview', 'gateway', 'executions', 'webhooks'],
  'routing-quality.md': ['routing'],
  'reliability.md': ['faults'],
  'hostile-programs.md': ['hostile'],
};

const run = (section: Section, name: string, full: string, small: string): ScorecardRun => ({
  name,
  section,
  full,
  small,
});

/** Every run, in the order of the pages. */
export const catalogue: readonly ScorecardRun[] = [
  run('overview', 'idle', 'bench/idle.ts', 'bench/idle.ts 1'),
  run('overview', 'http-read', 'bench/http-read.ts', 'bench/http-read.ts 1 1'),
  run('overview', 'storage-list', 'bench/storage-list.ts', 'bench/storage-list.ts 20000'),
  run('overview', 'authentication', 'bench/authentication.ts', 'bench/authentication.ts 5000'),
  run('overview', 'storage-writes', 'bench/storage-writes.ts', 'bench/storage-writes.ts 500'),
  run('overview', 'limits', 'bench/limits.ts', 'bench/limits.ts 1'),
  run('overview', 'router-decision', 'bench/router-decision.ts', 'bench/router-decision.ts 100'),
  run('overview', 'learned-call', 'bench/learned-call.ts 8000 5', 'bench/learned-call.ts 200 1'),
  run('overview', 'tool-list-tokens', 'bench/tool-list-tokens.ts', 'bench/tool-list-tokens.ts 50'),
  run(
    'routing',
    'learned-routing',
    'bench/routing/scorecard.ts 20 1 --data data/routing',
    'bench/routing/scorecard.ts 2 0.02',
  ),
  run('sizing', 'sizing', 'bench/sizing.ts', 'bench/sizing.ts 200 1 100'),
  run('sizing', 'replicas', 'bench/replicas.ts 3 3', 'bench/replicas.ts 1 1 8'),
  run('sizing', 'processes', 'bench/processes.ts', 'bench/processes.ts 200 1'),
  run('gateway', 'hot-path', 'bench/hot-path.ts 7 4000', 'bench/hot-path.ts 1 300'),
  run('gateway', 'gateway-throughput', 'bench/gateway-throughput.ts 3 2', 'bench/gateway-throughput.ts 1 1'),
  run('gateway', 'gateway-streams', 'bench/gateway-streams.ts 3 5', 'bench/gateway-streams.ts 1 1'),
  run('gateway', 'gateway-portkey', 'bench/gateway-portkey.ts 2 5', 'bench/gateway-portkey.ts 1 1'),
  run('gateway', 'gateway-idle-streams', 'bench/gateway-idle-streams.ts 7900 1', 'bench/gateway-idle-streams.ts 40 1'),
  run('gateway', 'gateway-soak', 'bench/gateway-soak.ts 10 100', 'bench/gateway-soak.ts 0.05 50'),
  run('executions', 'executor-latency', 'bench/executor/latency.ts', 'bench/executor/latency.ts 4'),
  run('executions', 'executor-neighbour', 'bench/executor/neighbour.ts 44', 'bench/executor/neighbour.ts 4'),
  run('executions', 'executor-throughput', 'bench/executor/throughput.ts 2', 'bench/executor/throughput.ts 1'),
  run('executions', 'execute', 'bench/execute.ts', 'bench/execute.ts 10'),
  run('executions', 'generator', 'bench/generator.ts', 'bench/generator.ts 3'),
  run('executions', 'executor-soak', 'bench/executor/soak.ts 10 50', 'bench/executor/soak.ts 0.3 5'),
  run('webhooks', 'webhook-backlog', 'bench/webhook-backlog.ts 50000', 'bench/webhook-backlog.ts 600 1'),
  run(
    'webhooks',
    'webhook-backlog-memory',
    'bench/webhook-backlog.ts 50000 5 memory',
    'bench/webhook-backlog.ts 600 1 memory',
  ),
  run(
    'webhooks',
    'webhook-backlog-worker',
    'bench/webhook-backlog.ts 50000 5 worker',
    'bench/webhook-backlog.ts 600 1 worker',
  ),
  run('webhooks', 'webhook-neighbours', 'bench/webhook-neighbours.ts 6', 'bench/webhook-neighbours.ts 1'),
  run('faults', 'crash', 'packages/e2e/scripts/crash.ts 20 1000', 'packages/e2e/scripts/crash.ts 1 60 7'),
  run('faults', 'store-crash', 'plugins/store-sqlite/scripts/crash.ts 30', 'plugins/store-sqlite/scripts/crash.ts 2 1'),
  run(
    'faults',
    'power-loss',
    'plugins/store-sqlite/scripts/power-loss.ts 600 20261121 60',
    'plugins/store-sqlite/scripts/power-loss.ts 20 1 3',
  ),
  run(
    'faults',
    'migrations',
    'plugins/store-postgres/scripts/sever-migrations.ts',
    'plugins/store-postgres/scripts/sever-migrations.ts 20',
  ),
  run(
    'faults',
    'storages',
    'scripts/compare-storages.ts --size 10000',
    'scripts/compare-storages.ts --seed 1 --size 300',
  ),
  run('faults', 'tenancy', 'scripts/tenancy-sweep.ts --tries 150000', 'scripts/tenancy-sweep.ts --tries 2000'),
  run('faults', 'accounting', 'packages/e2e/scripts/accounting.ts 20000', 'packages/e2e/scripts/accounting.ts 200 7'),
  run('faults', 'aborts', 'scripts/abort-soak.ts 10000', 'scripts/abort-soak.ts 300'),
  run(
    'faults',
    'abandoned-requests',
    'packages/e2e/scripts/abandoned-requests.ts 1000',
    'packages/e2e/scripts/abandoned-requests.ts 60',
  ),
  run(
    'faults',
    'sticky',
    'packages/e2e/scripts/sticky-conversations.ts 200 10',
    'packages/e2e/scripts/sticky-conversations.ts 24 6',
  ),
  run(
    'faults',
    'kill-while-running',
    'packages/e2e/scripts/kill-while-running.ts',
    'packages/e2e/scripts/kill-while-running.ts 8',
  ),
  run(
    'faults',
    'replica-faults',
    'packages/e2e/scripts/replica-faults.ts 20',
    'packages/e2e/scripts/replica-faults.ts 1 1',
  ),
  run(
    'faults',
    'rolling-restart',
    'packages/e2e/scripts/rolling-restart.ts 5',
    'packages/e2e/scripts/rolling-restart.ts 1',
  ),
  run(
    'faults',
    'reload-faults',
    'packages/e2e/scripts/reload-faults.ts 26',
    'packages/e2e/scripts/reload-faults.ts 3 1 sqlite',
  ),
  run('faults', 'fuzz', 'packages/e2e/scripts/fuzz.ts 40000 7', 'packages/e2e/scripts/fuzz.ts 500 7'),
  run(
    'faults',
    'webhook-faults',
    'packages/e2e/scripts/webhook-faults.ts --seed 20261123 --events 20000 --kills 20',
    'packages/e2e/scripts/webhook-faults.ts --seed 1 --events 200 --kills 1',
  ),
  run('faults', 'tested', 'scripts/tested.ts', 'scripts/tested.ts disk-full'),
  run(
    'hostile',
    'hostile',
    'plugins/executor-deno/scripts/hostile.ts --isolation all --jail all --group 16',
    'plugins/executor-deno/scripts/hostile.ts --only output --group 16',
  ),
  run(
    'hostile',
    'hostile-random',
    'plugins/executor-deno/scripts/hostile.ts --random 300',
    'plugins/executor-deno/scripts/hostile.ts --random 5 --seed 1',
  ),
  run(
    'hostile',
    'hostile-code-mode',
    'plugins/executor-deno/scripts/hostile.ts --code-mode --group 16',
    'plugins/executor-deno/scripts/hostile.ts --code-mode --only realm --group 16',
  ),
];
