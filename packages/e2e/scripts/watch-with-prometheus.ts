/**
 * Have a real Prometheus scrape a server in trouble, and ask it what every panel of the dashboard and every alert asks:
 *
 *     node --conditions=source packages/e2e/scripts/watch-with-prometheus.ts --seconds 20
 *
 * It needs `prometheus`, of the Debian package of that name. It fails for a question that is not understood, or that
 * finds nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { adminKey } from '../src/driver/server-process.ts';
import { startTroubledServer } from '../src/metrics/troubled-server.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

interface Rule {
  readonly name: string;
  readonly state: string;
  readonly health: string;
  readonly lastError?: string;
}

const { panels } = JSON.parse(readFileSync(`${deploy}grafana/patchbay-dashboard.json`, 'utf8')) as {
  readonly panels: readonly Panel[];
};
const troubled = await startTroubledServer();
const folder = await mkdtemp(join(tmpdir(), 'patchbay-prometheus-'));
const port = await freePort();
await writeFile(join(folder, 'key'), adminKey, { mode: 0o600 });
await writeFile(
  join(folder, 'prometheus.yml'),
  `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["${deploy}prometheus/patchbay-alerts.yaml"]
scrape_configs:
  - job_name: patchbay
    authorization: { credentials_file: key }
    static_configs: [{ targets: ["${new URL(troubled.server.url).host}"] }]
`,
);
const options = [
  `--config.file=${join(folder, 'prometheus.yml')}`,
  `--storage.tsdb.path=${join(folder, 'data')}`,
  `--web.listen-address=127.0.0.1:${port}`,
  '--log.level=warn',
];
const prometheus = spawn('prometheus', options, { stdio: ['ignore', 'inherit', 'inherit'] });
prometheus.on('error', (error) => console.error(`prometheus cannot be started: ${error.message}`));

async function api<T>(path: string): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
  const { data, error } = (await response.json()) as { readonly data: T; readonly error?: string };
  if (error !== undefined) throw new Error(error);
  return data;
}

let faults = 0;
try {
  const end = performance.now() + Number(values.seconds) * 1_000;
  while (performance.now() < end && prometheus.exitCode === null) {
    await troubled.round();
    await delay(500);
  }
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const query = expr.replaceAll('$job', 'patchbay').replaceAll('$__rate_interval', '15s');
      const answer = await api<{ readonly result: readonly unknown[] }>(`query?query=${encodeURIComponent(query)}`)
        .then(({ result }) => `${result.length} series`)
        .catch((error: unknown) => String(error));
      if (!/^[1-9]/.test(answer)) faults += 1;
      console.log(`${title.padEnd(40)} ${answer}`);
    }
  }
  const { groups } = await api<{ readonly groups: readonly { readonly rules: readonly Rule[] }[] }>('rules');
  for (const { name, state, health, lastError = '' } of groups.flatMap(({ rules }) => rules)) {
    if (health !== 'ok') faults += 1;
    console.log(`${name.padEnd(40)} ${state} ${health} ${lastError}`);
  }
} finally {
  if (prometheus.pid !== undefined && prometheus.exitCode === null) {
    prometheus.kill('SIGTERM');
    await once(prometheus, 'exit');
  }
  await rm(folder, { recursive: true });
  await troubled.stop();
}
console.log(`${faults} questions found nothing or failed`);
process.exitCode = faults === 0 ? 0 : 1;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
