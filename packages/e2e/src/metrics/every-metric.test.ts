import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../driver/server-process.ts';
import { findPromtool } from './find-promtool.ts';
import { startTroubledServer, type TroubledServer } from './troubled-server.ts';

let troubled: TroubledServer;
let text: string;

beforeAll(async () => {
  troubled = await startTroubledServer();
  await troubled.round();
  await troubled.round();
  text = await troubled.metrics();
});

afterAll(async () => troubled.stop());

const values = (name: string, labels = '') =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => line.includes(labels))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));

describe('/metrics of a server in trouble', () => {
  it('exposes exactly the documented metrics', () => {
    const page = readFileSync(new URL('../../../../docs/operate/monitoring.md', import.meta.url), 'utf8');
    const names = [...page.matchAll(/^\| `(\w+)` +\| (histogram)?/gm)].map(
      ([, name = '', kind]) => name + (kind === undefined ? '' : '_count'),
    );
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => values(name).length === 0)).toEqual([]);
  });

  it('shows each failure in its metric', async () => {
    expect(values('patchbay_gateway_fallbacks_total', 'gen_ai_provider_name="broken"')[0]).toBeGreaterThan(0);
    expect(values('patchbay_gateway_unanswered_total', 'error_type="provider_error"')[0]).toBeGreaterThan(0);
    expect(values('patchbay_gateway_answers_total', 'chosen_by="caller",fallback="true"')[0]).toBeGreaterThan(0);
    expect(values('patchbay_gateway_answers_total', 'chosen_by="router"')[0]).toBeGreaterThan(0);
    expect(
      values('patchbay_gateway_interruptions_total', 'error_type="provider_bad_response",resumed="false"'),
    ).toEqual([2]);
    // Half, once it may be tried again, which a slow machine comes to.
    expect(values('patchbay_model_circuit_open', 'gen_ai_provider_name="broken"')[0]).toBeGreaterThan(0);
    expect(values('patchbay_model_circuit_open', 'gen_ai_provider_name="main"')).toEqual([0]);
    expect(values('patchbay_model_active', 'gen_ai_provider_name="main"')).toEqual([0]);
    expect(values('patchbay_execution_failures_total', 'code="function_threw",runner="code"')).toEqual([2]);
    expect(values('patchbay_tool_duration_seconds_count', 'server="docs",outcome="tool_failed"')).toEqual([2]);
    expect(values('patchbay_answer_cache_lookups_total', 'result="hit"')).toEqual([3]);
    expect(values('patchbay_answer_cache_lookups_total', 'result="miss"')).toEqual([1]);
    expect(values('patchbay_limit_unshared_total')[0]).toBeGreaterThan(0);
    expect(values('patchbay_part_health', 'part="limits"')).toEqual([0.5]);
    expect(values('patchbay_limit_refusals_total', 'code="rate_limited"')[0]).toBeGreaterThan(0);
    expect(values('patchbay_webhook_deliveries')[0]).toBeGreaterThan(0);
    expect(values('patchbay_webhook_receivers', 'state="failing"')).toEqual([1]);
    expect(values('patchbay_webhook_receivers', 'state="paused"')).toEqual([0]);
    expect(values('patchbay_storage_operation_duration_seconds_count', 'operation="commit"')[0]).toBeGreaterThan(5);
    expect(values('patchbay_executor_info', 'plugin="@patchbay/executor-deno",isolation="fresh",jail="')).toEqual([1]);
    expect(values('patchbay_config_refused')).toEqual([0]);
    expect(values('patchbay_build_info', `node="${process.versions.node}"`)).toEqual([1]);
    // The one that asks. A request is active until its connection has taken the response, which its client can have read before.
    const active = async () => {
      text = await troubled.metrics();
      return values('http_server_active_requests');
    };
    await expect.poll(active).toEqual([1]);
  });

  it('exposes no id, tenant, key or path as a label, and a bounded number of series', async () => {
    const labels = text.split('\n').flatMap((line) => (line.startsWith('#') ? [] : [/\{(.*)\}/.exec(line)?.[1] ?? '']));
    for (const id of troubled.ids) expect(labels.filter((each) => each.includes(id))).toEqual([]);
    expect(labels.filter((each) => /(function|execution|webhook|key|request)_[0-9a-z]{26}/.test(each))).toEqual([]);
    const before = text.split('\n').length;
    for (let count = 0; count < 40; count += 1) {
      await ask(troubled.server, 'POST', '/chat', { model: `main/nothing-${count}`, messages: [] });
      await ask(troubled.server, 'GET', `/functions/function_${count}`);
    }
    const after = (await troubled.metrics()).split('\n').length;
    // Another route, and other errors: some buckets each, and nothing for each of them.
    expect(after - before).toBeLessThan(40 + 20 * 4);
  });

  const promtool = findPromtool();
  it.skipIf(promtool === undefined)('passes promtool', () => {
    const { stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    // It also lints names, which is reported, and no fault of the format.
    expect(
      [stdout, stderr]
        .join('')
        .split('\n')
        .filter((line) => /error|invalid|no help|unexpected/i.test(line)),
    ).toEqual([]);
  });
});

describe('a reload', () => {
  it('with a config that is wrong shows in the metrics, until one is right', async () => {
    const { server } = troubled;
    const file = `${server.data}/patchbay.config.yaml`;
    const right = await readFile(file, 'utf8');
    await server.reload(`${right}nonsense: 1\n`);
    text = await troubled.metrics();
    expect(values('patchbay_config_refused')).toEqual([1]);
    expect(values('patchbay_config_reloads_total', 'result="refused"')).toEqual([1]);
    const [loaded] = values('patchbay_config_loaded_timestamp_seconds');
    await server.reload(right);
    text = await troubled.metrics();
    expect(values('patchbay_config_refused')).toEqual([0]);
    expect(values('patchbay_config_reloads_total', 'result="done"')).toEqual([1]);
    expect(values('patchbay_config_loaded_timestamp_seconds')[0]).toBeGreaterThan(loaded ?? Number.POSITIVE_INFINITY);
  });
});
