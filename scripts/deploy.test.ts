import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { metricDefinitions } from '../packages/core/src/telemetry/measuring.ts';
import { prometheusName } from '../packages/core/src/telemetry/prometheus-text.ts';
import { findPromtool } from '../packages/e2e/src/metrics/find-promtool.ts';
import { operations } from '../packages/http/src/operations/operations.ts';
import { exitCodes } from '../packages/server/src/cli/cli-failure.ts';
import { loadServerConfig } from '../packages/server/src/load-server-config.ts';
import { createLogger } from '../packages/server/src/logger.ts';
import { startWorker } from '../packages/server/src/start-worker.ts';
import { codeBlocks } from './docs-blocks/code-blocks.ts';

// The recipes are not run here. What they name has to exist, and to fit together.

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const paths = new Set(operations.map(({ path }) => path));

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels: { readonly app: string } };
    readonly template: {
      readonly metadata: { readonly labels: { readonly app: string } };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const manifests = (file: string): readonly Manifest[] =>
  parseAllDocuments(read(`deploy/kubernetes/${file}`), { strict: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });

async function loadManifestConfig() {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-deploy-'));
  try {
    const text = manifests('config.yaml')[0]?.data['patchbay.config.yaml'] ?? '';
    for (const name of ['openai-api-key', 'root-secret']) writeFileSync(join(folder, name), 'x'.repeat(40));
    const file = join(folder, 'patchbay.config.yaml');
    writeFileSync(file, text.replaceAll('/run/secrets/patchbay', folder));
    const env = { DATABASE_URL: 'postgresql://127.0.0.1/patchbay' };
    const nowhere = { debug() {}, info() {}, warn() {}, error() {} };
    return await loadServerConfig({ file, cwd: folder, env, logger: nowhere });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the manifests for Kubernetes', () => {
  it('contain a valid config', async () => {
    const { server, worker } = await loadManifestConfig();
    expect([server.port, worker.port, server.consumeJobs]).toEqual([4810, 4811, false]);
  });

  it.each(['server.yaml', 'worker.yaml'])('%s fits together', async (file) => {
    const { server, worker } = await loadManifestConfig();
    const all = manifests(file);
    const deployment = all.find(({ kind }) => kind === 'Deployment') as Manifest;
    const { metadata, spec } = deployment.spec.template;
    const [container] = spec.containers;
    expect(metadata.labels.app).toBe(deployment.spec.selector.matchLabels.app);
    const budget = all.find(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budget?.spec.selector.matchLabels).toEqual(deployment.spec.selector.matchLabels);
    const isWorker = container.args.includes('worker');
    const { port, drainTimeoutMs } = isWorker ? worker : server;
    expect(container.ports[0]?.containerPort).toBe(port);
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(paths).toContain(httpGet.path);
      expect(container.ports.map(({ name }) => name)).toContain(httpGet.port);
    }
    const pauseSeconds = Number(container.lifecycle.preStop.exec.command[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(pauseSeconds + drainTimeoutMs / 1_000 + 5);
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
  });
});

const promtool = findPromtool();

/** Each series by its name and distinguishing labels. */
const labelsOf = new Map<string, readonly string[]>([['up', ['job', 'instance']]]);
for (const [name, definition] of Object.entries(metricDefinitions)) {
  const labels = definition.labels.map((label) => label.replaceAll(/\W/g, '_'));
  const full = prometheusName(name, definition);
  const names = definition.kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => full + end) : [full];
  for (const each of names) labelsOf.set(each, [...labels, 'job', 'instance', 'le']);
}

/** The series of an expression, each of which exists, and so do the labels that it asks for. */
function checkExpression(expr: string): void {
  const bare = expr.replaceAll(/"[^"]*"/g, '""');
  const grouped = [...bare.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels]) => (labels ?? '').split(/,\s*/));
  const asked = [...bare.matchAll(/([a-z][a-z0-9_]+)(?:\{([^}]*)\}|(?=\[))/g)];
  expect(asked).not.toEqual([]);
  for (const [, name = '', selected = ''] of asked) {
    expect([...labelsOf.keys()]).toContain(name);
    const matched = [...selected.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label ?? '');
    for (const label of [...grouped, ...matched]) expect(labelsOf.get(name)).toContain(label);
  }
}

describe('the dashboard', () => {
  const text = read('deploy/grafana/patchbay-dashboard.json');
  const { panels } = JSON.parse(text) as { panels: readonly { title: string; targets: readonly { expr: string }[] }[] };

  it.each(panels)('$title asks for metrics and labels that exist', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) checkExpression(expr);
  });

  it('shows every metric that there is', () => {
    const shown = Object.entries(metricDefinitions).filter(([name, definition]) =>
      text.includes(prometheusName(name, definition)),
    );
    expect(shown).toHaveLength(Object.keys(metricDefinitions).length);
  });

  it.skipIf(promtool === undefined)('asks what Prometheus understands', () => {
    const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')));
    const rules = asked.map((expr, index) => ({ record: `panel_${index}`, expr }));
    expect(checkRules(JSON.stringify({ groups: [{ name: 'panels', rules }] }))).toContain(
      `${rules.length} rules found`,
    );
  });
});

function checkRules(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-rules-'));
  try {
    writeFileSync(join(folder, 'rules.yaml'), text);
    return execFileSync('promtool', ['check', 'rules', join(folder, 'rules.yaml')], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the alerts', () => {
  interface Alert {
    readonly alert: string;
    readonly expr: string;
    readonly labels: { readonly severity: string };
    readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
  }
  const text = read('deploy/prometheus/patchbay-alerts.yaml');
  const { groups } = parse(text) as { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules);
  const page = read('docs/operate/monitoring.md');
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');

  it.each(alerts)('$alert asks for what exists, and says what to do', ({ expr, labels, annotations }) => {
    checkExpression(expr);
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(annotations.summary).not.toBe('');
    expect(annotations.description).not.toBe('');
    const [file, anchor = ''] = annotations.runbook_url.split('#');
    expect(file).toBe('https://github.com/patchbay/patchbay/blob/main/docs/operate/monitoring.md');
    expect(headings.map(anchorOf)).toContain(anchor);
    const section = page.split(`### ${headings.find((heading) => anchorOf(heading) === anchor)}\n`)[1] ?? '';
    expect((section.split('\n#')[0] ?? '').trim().length).toBeGreaterThan(60);
  });

  it('each have a test that fires and one that stays silent', () => {
    const tests = read('deploy/prometheus/patchbay-alerts.test.yaml');
    for (const { alert } of alerts) {
      expect(tests).toContain(`name: ${alert} fires`);
      expect(tests).toContain(`name: ${alert} stays silent`);
    }
  });

  it.skipIf(promtool === undefined)('pass their tests', () => {
    expect(checkRules(text)).toContain(`${alerts.length} rules found`);
    const cwd = join(root, 'deploy/prometheus');
    expect(
      execFileSync('promtool', ['test', 'rules', 'patchbay-alerts.test.yaml'], { cwd, encoding: 'utf8' }),
    ).toContain('SUCCESS');
  });
});

describe('the page about monitoring', () => {
  it('documents each metric in a row', () => {
    const rows = read('docs/operate/monitoring.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const [name, definition] of Object.entries(metricDefinitions)) {
      const labels = definition.labels.map((label) => `\`${label.replaceAll(/\W/g, '_')}\``).join(', ');
      const row = ['', `\`${prometheusName(name, definition)}\``, definition.kind, labels, definition.description, ''];
      expect(rows).toContainEqual(row);
    }
  });
});

describe('the network policies', () => {
  interface Policy {
    readonly kind: string;
    readonly spec: {
      readonly podSelector: {
        readonly matchLabels?: { readonly app: string };
        readonly matchExpressions?: readonly [{ readonly values: readonly string[] }];
      };
      readonly ingress?: readonly { readonly ports: readonly { readonly port: string | number }[] }[];
    };
  }
  const policies = parseAllDocuments(read('deploy/kubernetes/network-policy.yaml')).map(
    (each) => each.toJS() as Policy,
  );
  const apps = ['server.yaml', 'worker.yaml'].map((file) => {
    const deployment = manifests(file).find(({ kind }) => kind === 'Deployment') as Manifest;
    const [container] = deployment.spec.template.spec.containers;
    return { app: deployment.spec.selector.matchLabels.app, ports: container.ports.map(({ name }) => name) };
  });

  it('name pods and ports that exist', () => {
    expect(policies.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'NetworkPolicy', 'NetworkPolicy']);
    expect(policies[0]?.spec.podSelector.matchExpressions?.[0].values).toEqual(apps.map(({ app }) => app));
    for (const [index, { app, ports }] of apps.entries()) {
      const { spec } = policies[index + 1] as Policy;
      const { podSelector, ingress } = spec;
      expect(podSelector.matchLabels?.app).toBe(app);
      for (const { port } of (ingress ?? []).flatMap((rule) => rule.ports)) expect(ports).toContain(port);
    }
  });
});

describe('the image', () => {
  const lines = read('deploy/docker/Dockerfile');

  it('uses the pnpm of the repository, and starts the program of the package', () => {
    const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string };
    const used = new Set([...lines.matchAll(/pnpm@[\d.]+/g)].map(([version]) => version));
    expect(used).toEqual(new Set([packageManager]));
    const { bin } = JSON.parse(read('packages/server/package.json')) as { bin: { patchbay: string } };
    expect(lines).toContain(`ENTRYPOINT ["node", "/server/${bin.patchbay.slice(2)}"]`);
    expect(lines).toMatch(/^USER node$/m);
    expect(lines).toContain('bubblewrap');
  });

  it('builds on another base, and copies only sources into it', () => {
    expect(lines.match(/^FROM .*$/gm)).toEqual(['FROM $BASE AS manifests', 'FROM $BASE AS build', 'FROM $BASE']);
    const ignored = read('.dockerignore').split('\n');
    for (const each of ['.git', '**/node_modules', '**/dist', '**/.env', '**/data/']) expect(ignored).toContain(each);
  });

  it('installs the dependencies from manifests alone, before the sources are copied', () => {
    const [, stage = ''] = lines.split(/^FROM .* AS build$/m);
    const steps = [...stage.matchAll(/^(COPY .*|RUN .*)$/gm)].map(([step]) => step);
    expect(steps.slice(0, 3)).toEqual([
      'COPY --from=manifests /patchbay .',
      expect.stringMatching(/^RUN npx .* install --frozen-lockfile$/),
      'COPY . .',
    ]);
    // The stage of the manifests keeps the files that an installation reads.
    const [, kept = ''] = /RUN find \. -type f(.*?) -delete/.exec(lines) ?? [];
    const names = [...kept.matchAll(/! -name (\S+)/g)].map(([, name]) => name);
    expect(names).toEqual(['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.mjs']);
    for (const name of names) expect(() => read(name ?? '')).not.toThrow();
  });

  it('ships a seccomp profile that allows the jail of functions', () => {
    const profile = JSON.parse(read('deploy/docker/seccomp.json')) as {
      readonly defaultAction: string;
      readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string }[];
    };
    expect(profile.defaultAction).toBe('SCMP_ACT_ALLOW');
    const denied = profile.syscalls.flatMap(({ names }) => names);
    for (const needed of [
      'clone',
      'clone3',
      'unshare',
      'mount',
      'umount2',
      'pivot_root',
      'prctl',
      'seccomp',
      'setns',
    ]) {
      expect(denied).not.toContain(needed);
    }
    expect(denied).toEqual(expect.arrayContaining(['bpf', 'kexec_load', 'keyctl', 'ptrace', 'init_module', 'reboot']));
  });

  it('a worker is healthy while it runs, on whatever port, and unhealthy afterwards', { timeout: 60_000 }, async () => {
    const command = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(lines)?.[1] ?? '[]') as string[];
    expect(command.slice(0, 2)).toEqual(['node', '-e']);
    expect(lines).toMatch(/^ENV .*PATCHBAY_HEALTH_FILE=\//m);
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-health-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const config = join(folder, 'patchbay.config.yaml');
    const storage = "{ use: '@patchbay/store-sqlite', with: { file: ./patchbay.db } }";
    writeFileSync(config, `patchbay: 1\nstorage: ${storage}\nsecretFile: ./secret\nworker: { port: 0 }\n`);
    const env = { PATH: process.env['PATH'], PORT: '4810', PATCHBAY_HEALTH_FILE: join(folder, 'health') };
    const isHealthy = () =>
      promisify(execFile)(process.execPath, command.slice(1), { env }).then(
        () => true,
        () => false,
      );
    const logger = createLogger(openSync(join(folder, 'log'), 'w'));
    const worker = await startWorker({ config, listen: {}, cwd: folder, env, logger, show: () => {} });
    try {
      expect(await isHealthy()).toBe(true);
    } finally {
      await worker.close();
    }
    expect(await isHealthy()).toBe(false);
  });
});

describe('the page about containers', () => {
  const page = read('docs/operate/container.md');
  const commands = codeBlocks('container.md', page).map(({ code }) => code.trim());

  it('builds and runs the image as the Dockerfile says', () => {
    const comment = /^((?:#.*\n)+)/.exec(read('deploy/docker/Dockerfile'))?.[1] ?? '';
    const words = comment.replaceAll(/^# ?|\\$/gm, '').replaceAll(/\s+/g, ' ');
    expect(commands.join('\n').replace(' --detach --name patchbay', '').split('\n')).toEqual(
      expect.arrayContaining(
        ['docker build', 'docker run --publish'].map((start) => {
          const [, rest = ''] = words.split(start);
          return `${start}${rest.split(/(?<=patchbay \.|seccomp\.json patchbay)/)[0]}`;
        }),
      ),
    );
  });

  it('names programs and files of the repository that exist', () => {
    const text = commands.join('\n');
    const { bin } = JSON.parse(read('packages/server/package.json')) as { bin: { patchbay: string } };
    for (const [program] of text.matchAll(/\/server\/\S+/g)) expect(program).toBe(`/server/${bin.patchbay.slice(2)}`);
    const files = [...text.matchAll(/deploy\/[\w./-]+/g)].map(([file]) => file);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(() => read(file)).not.toThrow();
  });
});

describe('the unit of systemd', () => {
  const unit = read('deploy/systemd/patchbay.service');
  const settings = new Map(
    [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name ?? '', value ?? ''] as const),
  );

  it('leaves the jail of functions and the compilers alone', () => {
    for (const name of ['RestrictNamespaces', 'MemoryDenyWriteExecute']) {
      expect([...settings.keys()]).not.toContain(name);
    }
    const filter = settings.get('SystemCallFilter') ?? '';
    expect(filter.startsWith('~')).toBe(true);
    for (const set of ['@mount', '@privileged', '@process', '@resources', '@setuid', '@sandbox']) {
      expect(filter.split(/[~ ]/)).not.toContain(set);
    }
  });

  it('starts what the page about installing starts', () => {
    const started = codeBlocks('install.md', read('docs/operate/install.md')).map(({ code }) => code.trim());
    expect(started).toContain(settings.get('ExecStart'));
    expect(settings.get('Environment')).toContain('PATCHBAY_DATA=/var/lib/patchbay');
  });

  it('waits longer than the server, and does not start again what cannot start', async () => {
    const { server } = await loadManifestConfig();
    expect(Number.parseInt(settings.get('TimeoutStopSec') ?? '', 10) * 1_000).toBeGreaterThan(server.drainTimeoutMs);
    expect(settings.get('RestartPreventExitStatus')).toBe(String(exitCodes.config));
    expect(settings.get('ExecReload')).toContain('-HUP');
  });
});
