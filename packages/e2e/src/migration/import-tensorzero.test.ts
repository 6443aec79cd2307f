import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { useMigration } from './use-migration.ts';

// Configurations such as the documentation of TensorZero shows: they become configs with which a server starts, and
// functions that are pushed to it and called.

const folder = fileURLToPath(new URL('tensorzero', import.meta.url));
const migration = useMigration(folder);

describe.each([
  {
    name: 'extraction',
    call: 'extract_entities',
    input: { text: 'Ada was born in London.' },
    output: { people: ['Ada'], places: ['London'] },
    prompt: 'Ada was born in London.',
    model: 'upstream/gpt-4o-mini',
    changed: [
      'models.fast.providers.backup',
      'functions.extract_entities.experimentation',
      'metrics.jaccard_similarity',
    ],
    notMapped: [
      'models.fast.providers.primary.timeouts',
      'models.fast.providers.bedrock',
      'functions.extract_entities.variants.careful_prompt.seed',
      'functions.extract_entities.variants.careful_prompt.retries',
      'functions.extract_entities.experimentation.update_period_s',
      'metrics.session_length',
    ],
  },
  {
    name: 'haiku',
    call: 'write_haiku',
    input: { language: 'German', topic: 'rain' },
    output: { text: 'Regen' },
    prompt: 'Write haikus in German.\n\nTopic: rain',
    model: 'anthropic/claude-haiku-4-5',
    changed: [
      'functions.write_haiku',
      'functions.write_haiku',
      'functions.write_haiku.variants.baseline',
      'functions.write_haiku.variants.short',
    ],
    notMapped: ['functions.write_haiku.variants.best_of_three', 'gateway.observability'],
  },
  {
    name: 'split',
    call: 'fun_fact',
    input: { topic: 'otters' },
    output: { text: 'They hold hands.' },
    prompt: 'Be friendly.\nShare a fun fact about: otters',
    model: 'upstream/house-model',
    changed: ['functions.fun_fact'],
    notMapped: ['gateway.export', 'clickhouse'],
  },
  {
    name: 'chess',
    call: 'play_chess',
    input: { board: 'KQ', moves: ['e4', 'd4'] },
    output: { move: 'e4' },
    prompt: 'The board: KQ. Choose one of ["e4","d4"].',
    model: 'upstream/tgi',
    changed: ['functions.play_chess.variants.plain'],
    notMapped: [
      'functions.play_chess.variants.baseline',
      'functions.play_chess.variants.plain.reasoning_effort',
      'functions.play_chess.variants.shouting',
      'functions.weather',
      'tools.get_temperature',
    ],
  },
  {
    name: 'limits',
    call: 'summarize',
    input: { text: 'A long text.' },
    output: { summary: 'A text.' },
    prompt: 'A long text.',
    model: 'upstream/house-model',
    changed: ['functions.summarize.experimentation', 'rate_limiting.rules[0].cost_per_month'],
    notMapped: [
      'functions.summarize.variants.vertex',
      'functions.summarize.experimentation.fallback_variants',
      'functions.summarize.evaluators',
      'models.house.providers.compatible.cost[2]',
      'rate_limiting.rules[0].tokens_per_day',
      'rate_limiting.rules[2]',
      'object_storage',
    ],
  },
])('the configuration $name of TensorZero', ({ name, call, input, output, prompt, model, changed, notMapped }) => {
  it('becomes a config and a function that a server calls, and lists what is lost', async () => {
    const { out, findings } = await migration.import('tensorzero', name);
    const namesOf = (outcome: string) => findings.filter((each) => each.outcome === outcome).map((each) => each.name);
    expect({ changed: namesOf('changed'), notMapped: namesOf('not mapped') }).toEqual({ changed, notMapped });
    await migration.serve(out, async (ask, env) => {
      const push = await runCli({ cwd: out, env }, 'functions', 'push');
      expect([push.code, push.stdout], push.stderr).toEqual([0, expect.stringMatching(/^created {2}\w+/)]);
      const upstream = migration.upstreamOf(model);
      upstream.script(upstreamReplies.healthy({ text: JSON.stringify(output) }));
      const { status, body } = await ask('POST', `/call/${call}`, { input });
      expect([status, body['output']], JSON.stringify(body)).toEqual([200, output]);
      expect(body['model']).toBe(model);
      expect(JSON.stringify(upstream.requests.at(-1)?.json)).toContain(JSON.stringify(prompt).slice(1, -1));
      for (const { detail } of findings) {
        const [, command] = /: patchbay (experiments start .*?)(?:;|$)/.exec(detail) ?? [];
        if (command === undefined) continue;
        const started = await runCli({ cwd: out, env }, ...command.split(' '), '--json');
        expect([started.code, started.stdout], started.stderr).toEqual([0, expect.stringContaining('running')]);
      }
      // The variants that calls do not go to are there under their labels, so nothing differs.
      const diff = await runCli({ cwd: out, env }, 'functions', 'diff');
      expect([diff.code, diff.stderr]).toEqual([0, 'no differences\n']);
    });
  });
});

describe('patchbay import tensorzero', () => {
  it('makes versions of the settings out of variants, each under a label', async () => {
    const { out, config } = await migration.import('tensorzero', 'extraction');
    const definition = parse(readFileSync(`${out}/functions/extractEntities/function.yaml`, 'utf8')) as object;
    expect(definition).toMatchObject({
      settings: { model: 'fast', temperature: 0.2, system: expect.stringContaining('Answer with JSON only.\n\nLeave') },
      labels: { 'v-4o-plain': { model: 'fast', maxTokens: 400, system: 'Find people and places.' } },
    });
    expect(config).toMatchObject({
      functions: { settings: { '*': { metrics: { exact_match: { optimize: 'max' } } } } },
      gateway: { aliases: { fast: { model: 'upstream/gpt-4o-mini', fallbacks: ['vllm/llama-3.3-70b'] } } },
      providers: { upstream: { with: { models: [{ pricing: { input: 2.5, output: 10, cacheRead: 1.25 } }] } } },
    });
  });

  it('gives each variant its own label, and none the one that calls use', async () => {
    const { out } = await migration.import('tensorzero', 'limits');
    const { labels } = parse(readFileSync(`${out}/functions/summarize/function.yaml`, 'utf8')) as { labels: object };
    expect(Object.keys(labels)).toEqual(['mini', 'sonnet', 'sonnet-2', 'production-2']);
  });

  it('maps rate limits of all requests and of each key', async () => {
    const { config } = await migration.import('tensorzero', 'limits');
    expect(config).toMatchObject({
      limits: {
        tenant: { model: { requests: 1_000, seconds: 3_600 }, budget: { usd: 250, period: 'month' } },
        key: { model: { requests: 60, seconds: 60 }, tokensPerMinute: 50_000 },
      },
    });
  });

  it('names the line of a template that a prompt cannot express', async () => {
    const { findings } = await migration.import('tensorzero', 'chess');
    expect(findings.find(({ name }) => name.endsWith('variants.baseline'))?.detail).toBe(
      'chess/functions/loop.minijinja:6:1 a prompt has no statements: {%- for move in moves %}',
    );
  });

  it('says what is wrong with a folder without a configuration', async () => {
    const { code, stderr } = await runCli({ cwd: folder }, 'import', 'tensorzero', 'split/shared');
    expect([code, stderr]).toEqual([2, expect.stringContaining('split/shared has no file of TensorZero')]);
  });
});
