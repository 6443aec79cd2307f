import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { useMigration } from './use-migration.ts';

// Configurations such as the documentation of LiteLLM shows: they become configs with which a server starts and answers.

const folder = fileURLToPath(new URL('litellm', import.meta.url));
const migration = useMigration(folder);

describe.each([
  {
    name: 'first-proxy',
    models: { 'gpt-4o': 'upstream/gpt-4o', claude: 'anthropic/claude-haiku-4-5' },
    changed: [],
    notMapped: [
      'litellm_settings.drop_params',
      'litellm_settings.success_callback',
      'general_settings.master_key',
      'general_settings.alerting',
    ],
  },
  {
    name: 'load-balancing',
    models: { chat: 'upstream/chat-europe', 'gpt-4': 'upstream/chat-europe', assistant: 'upstream/chat-europe' },
    changed: [
      'model_list[0].litellm_params.timeout',
      'model_list[1].litellm_params.timeout',
      'model_list[1]',
      'model_list[1]',
    ],
    notMapped: [
      'model_list[0].litellm_params.rpm',
      'model_list[1].litellm_params.rpm',
      'model_list[1].litellm_params.weight',
      'model_list[2]',
      'litellm_settings.num_retries',
      'litellm_settings.request_timeout',
      'litellm_settings.allowed_fails',
      'router_settings.routing_strategy',
      'router_settings.redis_host',
      'router_settings.redis_password',
      'router_settings.redis_port',
    ],
  },
  {
    name: 'fallbacks',
    models: { small: 'upstream/small', large: 'upstream/large', long: 'upstream/long' },
    changed: ['model_list[4]', 'litellm_settings.context_window_fallbacks[0].small'],
    notMapped: [
      'model_list[3]',
      'model_list[5]',
      'router_settings.fallbacks[1].large[0]',
      'router_settings.fallbacks[3].unknown',
      'router_settings.enable_pre_call_checks',
      'litellm_settings.content_policy_fallbacks',
    ],
  },
  {
    name: 'budgets',
    models: { own: 'vllm/llama-3.3-70b' },
    changed: ['litellm_settings.max_budget', 'litellm_settings.default_key_generate_params.max_budget'],
    notMapped: [
      'litellm_settings.default_key_generate_params.models',
      'litellm_settings.upperbound_key_generate_params',
      'litellm_settings.cache',
      'litellm_settings.cache_params',
      'general_settings.master_key',
      'general_settings.database_url',
      'router_settings.provider_budget_config',
    ],
  },
  {
    name: 'wildcards',
    models: { local: 'upstream/local-model' },
    changed: ['model_list[1]', 'model_list[4]'],
    notMapped: [
      'credential_list[0].credential_info',
      'model_list[1].litellm_params.api_version',
      'model_list[1].litellm_params.temperature',
      'model_list[2]',
      'guardrails',
      'environment_variables',
    ],
  },
])('the config $name of LiteLLM', ({ name, models, changed, notMapped }) => {
  it('becomes a config with which a server starts, and lists what is lost', async () => {
    const { out, findings } = await migration.import('litellm', `${name}.yaml`);
    const namesOf = (outcome: string) => findings.filter((each) => each.outcome === outcome).map((each) => each.name);
    expect({ changed: namesOf('changed'), notMapped: namesOf('not mapped') }).toEqual({ changed, notMapped });
    await migration.serve(out, async (ask) => {
      for (const [alias, model] of Object.entries(models)) {
        const { status, body } = await ask('POST', '/chat', {
          model: alias,
          messages: [{ role: 'user', content: 'Hello' }],
        });
        expect([status, body['model']], JSON.stringify(body)).toEqual([200, model]);
      }
    });
  });
});

describe('patchbay import litellm', () => {
  it('keeps keys out of the config and of what it prints', async () => {
    const { out, findings } = await migration.import('litellm', 'load-balancing.yaml');
    const config = readFileSync(`${out}/patchbay.config.yaml`, 'utf8');
    expect(config).toMatch(/apiKey: \$\{KEY_OF_CHAT\}/);
    expect(JSON.stringify([config, findings])).not.toContain('sk-written-down');
  });

  it('maps fallbacks, aliases, budgets, prices and the models that clients may use', async () => {
    const loadBalancing = await migration.import('litellm', 'load-balancing.yaml');
    expect(loadBalancing.config).toMatchObject({
      gateway: { aliases: { 'gpt-4': { model: 'upstream/chat-europe', fallbacks: ['upstream-2/chat-canada'] } } },
      tenants: { '*': { models: { allow: ['upstream/chat-europe', 'upstream-2/chat-canada'] } } },
      providers: { upstream: { with: { timeouts: { firstByteMs: 30_000, idleMs: 30_000 } } } },
    });
    const fallbacks = await migration.import('litellm', 'fallbacks.yaml');
    expect(fallbacks.config).toMatchObject({
      gateway: {
        aliases: {
          small: { fallbacks: ['upstream/large', 'upstream/long'] },
          large: { fallbacks: ['upstream/small'] },
        },
      },
    });
    const budgets = await migration.import('litellm', 'budgets.yaml');
    expect(budgets.config).toMatchObject({
      limits: {
        key: { budget: { usd: 1.5, period: 'day' }, model: { requests: 120, seconds: 60 }, tokensPerMinute: 50_000 },
        tenant: { budget: { usd: 100, period: 'month' }, concurrent: { model: 200 } },
      },
      providers: {
        vllm: { with: { models: [{ maxTokens: 4_096, pricing: { input: 0.2, output: 0.6 } }] } },
        upstream: { with: { models: [{ capabilities: ['embeddings'], pricing: { input: 0.02, output: 0 } }] } },
      },
    });
  });

  it('writes fallbacks that answer where a model fails, and budgets that refuse what goes beyond', async () => {
    const upstream = migration.upstreamOf('upstream/small');
    const hello = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello' }] });
    const fallbacks = await migration.import('litellm', 'fallbacks.yaml');
    await migration.serve(fallbacks.out, async (ask) => {
      const failure = upstreamReplies.status(500);
      // A model that the request names is asked twice.
      upstream.script(failure, failure, upstreamReplies.healthy());
      expect((await ask('POST', '/chat', hello('small'))).body).toMatchObject({ model: 'upstream/large' });
    });
    const budgets = await migration.import('litellm', 'budgets.yaml');
    await migration.serve(budgets.out, async (ask) => {
      upstream.script(upstreamReplies.healthy({ usage: { outputTokens: 3_000_000 } }));
      expect((await ask('POST', '/chat', hello('own'))).status).toBe(200);
      expect(await ask('POST', '/chat', hello('own'))).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } });
      upstream.script(upstreamReplies.healthy());
    });
  });

  it('names the place of everything that it lists', async () => {
    const { findings } = await migration.import('litellm', 'wildcards.yaml');
    expect(findings.find(({ name }) => name === 'guardrails')).toEqual({
      outcome: 'not mapped',
      name: 'guardrails',
      place: 'wildcards.yaml:29:3',
      detail: 'there are no guardrails',
    });
    expect(findings.at(-1)).toMatchObject({ name: 'model_list[4]', place: 'wildcards-more.yaml:2:5' });
  });

  it('writes nothing without --write, and never over a file', async () => {
    const { out } = await migration.import('litellm', 'first-proxy.yaml');
    const importFirst = (...more: string[]) =>
      runCli({ cwd: folder }, 'import', 'litellm', 'first-proxy.yaml', ...more);
    const looked = await importFirst('--out', `${out}/nothing`);
    expect([looked.code, looked.stderr]).toEqual([0, expect.stringContaining('1 file would be written: add --write')]);
    expect(() => readFileSync(`${out}/nothing/patchbay.config.yaml`)).toThrow('ENOENT');
    const again = await importFirst('--out', out, '--write');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already: name another folder')]);
  });

  it('says where a file is not YAML', async () => {
    const { code, stderr } = await runCli({ cwd: folder, input: '' }, 'import', 'litellm', '../import-litellm.test.ts');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^patchbay: \.\.\/import-litellm\.test\.ts:\d+:\d+ /)]);
    const missing = await runCli({ cwd: folder }, 'import', 'litellm', 'none.yaml');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('none.yaml does not exist')]);
  });
});
