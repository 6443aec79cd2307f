import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Cache } from '@patchbay/contracts/cache';
import type { ExecutionJob } from '@patchbay/contracts/executor';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { ChatRequest, ChatResult } from '@patchbay/contracts/provider';
import { describe, expect, it, vi } from 'vitest';
import { memoryCache } from '../../built-in/memory-cache.ts';
import { createTestGateway } from '../../gateway/fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from '../../gateway/fixtures/scripted-provider.ts';
import { createSettingsService } from '../../settings/settings-service.ts';
import type { MeasuredCall } from '../../usage/usage-ledger.ts';
import { contextOf, createParts, summarize } from '../fixtures/function-parts.ts';
import { createFunctionService } from '../function-service.ts';
import type { TaskDependencies } from './do-task.ts';
import { createFunctionRunner } from './function-runner.ts';

const context = contextOf('acme');
const good = { points: ['a'] };

/** A runner of one function without code, over one model. */
async function createRunner(
  settings: FunctionSettings,
  chat: (request: ChatRequest, signal: AbortSignal) => Promise<ChatResult> | ChatResult,
  given?: Cache,
) {
  const parts = createParts();
  const provider = scriptedProvider([chatModel('one', { capabilities: ['chat', 'structured-output'] })], { chat });
  const { gateway } = await createTestGateway({ a: provider });
  const service = createSettingsService({ ...parts, configured: {}, label: 'production' });
  const options = {
    config: { maxBytes: 16_384 },
    deps: { clock: parts.clock },
    logger: silentLogger,
    mount: 'cache',
    directory: '/',
  };
  const cache = given ?? memoryCache.definition.create(options);
  const recorded: MeasuredCall[] = [];
  const meter: TaskDependencies['meter'] = { ready: async () => {}, record: (_, call) => void recorded.push(call) };
  const runner = createFunctionRunner({
    ...parts,
    settings: service,
    task: { gateway, cache, meter },
    code: undefined,
  });
  const functions = createFunctionService(parts);
  const row = await functions.create({ ...summarize, code: '', settings }, context);
  const job: ExecutionJob = {
    executionId: 'execution_1',
    functionId: row.id,
    functionName: row.name,
    functionVersion: 1,
    artifact: row.artifact,
    input: '{"text":"long","maxPoints":5}',
    limits: { wallMs: 1_000, outputBytes: 1_000, logBytes: 1_000 },
  };
  return { runner, job, provider, row, service, functions, recorded };
}

const text = (value: object): ChatResult => answer(JSON.stringify(value));

describe('a function without code', () => {
  it('sends its name and description to a model', async () => {
    const { runner, job, provider } = await createRunner({ temperature: 0 }, () => text(good));
    const outcome = await runner.execute(job, context);
    expect(outcome).toMatchObject({
      status: 'completed',
      output: JSON.stringify(good),
      usage: { model: 'a/one', promptTokens: 3, completionTokens: 3, settingsVersion: 1 },
    });
    const [request] = provider.requests;
    expect(request).toMatchObject({ temperature: 0, responseSchema: summarize.output });
    expect(request?.messages[0]?.content).toContain('"Summarize Text"');
    expect(request?.messages[0]?.content).toContain('Short');
    expect(request?.messages[1]).toEqual({ role: 'user', content: job.input });
  });

  it('runs the requested version, however the function has changed since', async () => {
    const { runner, job, provider, row, functions } = await createRunner({}, () => text(good));
    const output = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] } as const;
    const changed = { ...summarize, name: 'Rate Text', description: 'Long', output, code: '' };
    await functions.replace(row.id, changed, context);
    await runner.execute(job, context);
    await runner.execute({ ...job, functionVersion: 2 }, context).catch(() => undefined);
    const asked = provider.requests.map(({ responseSchema, messages }) => [responseSchema, messages[0]?.content]);
    expect(asked[0]).toEqual([summarize.output, expect.stringMatching(/"Summarize Text".*Short/)]);
    expect(asked[1]).toEqual([output, expect.stringMatching(/"Rate Text".*Long/)]);
  });

  it('has its prompt and examples from its settings', async () => {
    const settings: FunctionSettings = {
      system: 'You are brief.',
      prompt: 'At most {{input.maxPoints}}: {{input.text}}',
      examples: [{ input: { text: 'short', maxPoints: 1 }, output: { points: [] } }],
    };
    const { runner, job, provider } = await createRunner(settings, () => text(good));
    await runner.execute(job, context);
    expect(provider.requests[0]?.messages).toEqual([
      { role: 'system', content: 'You are brief.' },
      { role: 'user', content: 'At most 1: short' },
      { role: 'assistant', content: '{"points":[]}' },
      { role: 'user', content: 'At most 5: long' },
    ]);
  });

  it('uses the settings version that the label points to, from the next run on', async () => {
    const { runner, job, provider, row, service } = await createRunner({ system: 'one' }, () => text(good));
    await service.put(row.id, { system: 'two' }, {}, context);
    await runner.execute(job, context);
    await service.moveLabel(row.id, 'production', 1, context);
    await runner.execute(job, context);
    expect(provider.requests.map(({ messages }) => messages[0]?.content)).toEqual(['two', 'one']);
  });

  it('fails with the faults of the output if no response fits', async () => {
    const { runner, job } = await createRunner({ repairs: 0 }, () => text({ points: 'a' }));
    expect(await runner.execute(job, context)).toMatchObject({
      status: 'failed',
      error: { reason: 'output_invalid', message: expect.stringContaining('/output/points must be array') },
    });
  });

  it('is cancelled by an aborted request', async () => {
    const caller = new AbortController();
    const { runner, job } = await createRunner({}, async (_, signal) => {
      caller.abort(new Error('gone'));
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw signal.reason;
    });
    const outcome = await runner.execute(job, { ...context, signal: caller.signal });
    expect(outcome).toMatchObject({ status: 'cancelled', error: { reason: 'cancelled' } });
  });

  it('is served from the cache only if its settings say so, per tenant', async () => {
    const never = await createRunner({}, () => text(good));
    await never.runner.execute(never.job, context);
    await never.runner.execute(never.job, context);
    expect(never.provider.requests).toHaveLength(2);

    const { runner, job, provider, recorded } = await createRunner({ cacheSeconds: 60 }, () => text(good));
    await runner.execute(job, context);
    expect(await runner.execute(job, context)).toMatchObject({
      output: JSON.stringify(good),
      usage: { cached: true, totalTokens: 0, model: 'a/one' },
    });
    expect(provider.requests).toHaveLength(1);
    expect(recorded).toMatchObject([{ kind: 'model', model: 'a/one', outcome: 'cached', costNanoUsd: 0 }]);
    await runner.execute({ ...job, input: '{"text":"other","maxPoints":5}' }, context);
    expect(provider.requests).toHaveLength(2);
    await expect(runner.execute(job, contextOf('other'))).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('a model responds if the cache is down or corrupt, with a warning in the log', async () => {
    const down = () => Promise.reject(new Error('the cache is down'));
    const other = async () => Buffer.from('<html>');
    for (const [get, set] of [
      [down, down],
      [other, async () => {}],
      [async () => Buffer.from('{"object":[],"model":1}'), async () => {}],
    ] as const) {
      const warn = vi.fn<() => void>();
      const { runner, job } = await createRunner({ cacheSeconds: 60 }, () => text(good), { get, set, delete: down });
      const outcome = await runner.execute(job, { ...context, logger: { ...silentLogger, warn } });
      expect(outcome).toMatchObject({ status: 'completed', output: JSON.stringify(good) });
      expect(warn).toHaveBeenCalledTimes(get === down ? 2 : 1);
    }
  });

  it('bypasses the cache if the call asks for it', async () => {
    let asked = 0;
    const { runner, job } = await createRunner({ cacheSeconds: 60 }, () => {
      asked += 1;
      return text({ points: [String(asked)] });
    });
    const pointOf = async (cache?: 'default' | 'reload' | 'no-store', input = job.input) => {
      const outcome = await runner.execute({ ...job, input }, { ...context, ...(cache && { cache }) });
      return outcome.status === 'completed' ? (JSON.parse(outcome.output) as typeof good).points[0] : outcome.error;
    };
    expect([await pointOf(), await pointOf('default')]).toEqual(['1', '1']);
    expect([await pointOf('no-store'), await pointOf()]).toEqual(['2', '1']);
    expect([await pointOf('reload'), await pointOf()]).toEqual(['3', '3']);
    // The order of members does not matter.
    expect(await pointOf('default', '{"maxPoints":5,"text":"long"}')).toBe('3');
  });

  it('the cache never keeps a truncated or failed response', async () => {
    const left = [answer(JSON.stringify(good), { finishReason: 'length' }), text({ points: 'a' }), text(good)];
    const { runner, job, provider } = await createRunner(
      { cacheSeconds: 60, repairs: 0 },
      () => left.shift() ?? text(good),
    );
    const statuses: string[] = [];
    for (let run = 0; run < 4; run += 1) statuses.push((await runner.execute(job, context)).status);
    expect(statuses).toEqual(['completed', 'failed', 'completed', 'completed']);
    expect(provider.requests).toHaveLength(3);
  });

  it('needs no executor, unlike code', async () => {
    const { runner, job } = await createRunner({}, () => text(good));
    await expect(runner.execute({ ...job, artifact: 'code' }, context)).rejects.toMatchObject({
      code: 'executor_unavailable',
    });
  });
});
