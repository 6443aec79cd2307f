import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionFailure, ExecutionOutcome } from '@patchbay/contracts/executor';
import type { Storage } from '@patchbay/contracts/storage';
import { describe, expect, it } from 'vitest';
import { contextOf, createParts, createScriptedExecutor, summarize } from '../fixtures/function-parts.ts';
import { createFunctionService } from '../function-service.ts';
import { createExecutionService } from './create-execution-service.ts';
import { ExecutionEngine } from './execution-engine.ts';
import { executionSummary } from './execution-service.ts';

const context = contextOf('a');

async function setUp(answer: Parameters<typeof createScriptedExecutor>[0] = () => ({})) {
  const scripted = createScriptedExecutor(answer);
  const parts = createParts(scripted.executor);
  const { id } = await createFunctionService(parts).create(summarize, context);
  return { ...parts, ...scripted, id, executions: createExecutionService(parts) };
}

const failed = (reason: ExecutionFailure, status: 'failed' | 'timed_out' | 'cancelled' = 'failed') =>
  ({ status, error: { reason, message: 'no luck' } }) as Partial<ExecutionOutcome>;

describe('execution service', () => {
  it('fills in defaults for the code and echoes what the caller sent', async () => {
    const { executions, id, jobs } = await setUp(() => ({ status: 'completed', output: '{"points":["a"]}' }));
    const execution = await executions.execute(id, { text: 'x' }, context);
    expect(jobs).toEqual(['{"text":"x","maxPoints":5}']);
    expect(execution).toMatchObject({
      functionId: id,
      functionVersion: 1,
      status: 'completed',
      input: { text: 'x' },
      effectiveInput: { text: 'x', maxPoints: 5 },
      output: { points: ['a'] },
      durationMs: 1,
    });
    expect(await executions.get(execution.id, context)).toEqual(execution);
  });

  it('records an effective input only when it differs from the input', async () => {
    const { executions, id } = await setUp();
    const { effectiveInput } = await executions.execute(id, { text: 'x', maxPoints: 1 }, context);
    expect(effectiveInput).toBeNull();
  });

  it('refuses input that does not fit, before anything is run or recorded', async () => {
    const { executions, id, jobs, storage } = await setUp();
    await expect(executions.execute(id, { maxPoints: 'x' }, context)).rejects.toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/input/text' }, { pointer: '/input/maxPoints' }],
    });
    expect(jobs).toEqual([]);
    expect(await storage.scanAllTenants('executions', {}, 10)).toEqual([]);
  });

  it.each([
    ['{}', '/output/points', 'required'],
    ['{"points":[1]}', '/output/points/0', 'type'],
    ['[]', '/output', 'type'],
    ['null', '/output', 'type'],
    ['{"points":["\\ud800"]}', '/output', 'unsupported_unicode'],
    [`{"points":[],"x":${'['.repeat(100)}${']'.repeat(100)}}`, '/output', 'too_deep'],
  ])('fails an execution with output %.30s', async (output, pointer, code) => {
    const { executions, id } = await setUp(() => ({ status: 'completed', output }));
    const error = await executions.execute(id, { text: 'x' }, context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'function_output_invalid', status: 422, errors: [{ pointer, code }] });
    const { execution } = (error as PatchbayError).extensions as { execution: { id: string } };
    expect(execution).toMatchObject({ status: 'failed', input: { text: 'x' }, error: { code: 'output_invalid' } });
    expect(execution).not.toHaveProperty('output');
    expect(await executions.get(execution.id, context)).toMatchObject({ status: 'failed', output: null });
  });

  it.each([
    ['function_threw', 'failed', 'function_failed'],
    ['load_failed', 'failed', 'function_failed'],
    ['exited_early', 'failed', 'function_failed'],
    ['never_settled', 'failed', 'function_failed'],
    ['protocol_violation', 'failed', 'function_failed'],
    ['output_unserializable', 'failed', 'function_output_invalid'],
    ['output_too_large', 'failed', 'function_resource_exceeded'],
    ['memory_limit', 'failed', 'function_resource_exceeded'],
    ['cpu_limit', 'timed_out', 'function_resource_exceeded'],
    ['wall_limit', 'timed_out', 'function_timeout'],
    ['cancelled', 'cancelled', 'client_closed_request'],
  ] as const)('records %s as %s and rejects with %s', async (reason, status, code) => {
    const { executions, id } = await setUp(() => failed(reason, status));
    await expect(executions.execute(id, { text: 'x' }, context)).rejects.toMatchObject({
      code,
      message: 'no luck',
      extensions: { execution: { status, error: { code: reason, message: 'no luck' } } },
    });
  });

  it('records a run that the stopping host cut off as interrupted', async () => {
    const parts = await setUp(() => failed('cancelled', 'cancelled'));
    parts.stop();
    await expect(parts.executions.execute(parts.id, { text: 'x' }, context)).rejects.toMatchObject({
      code: 'shutting_down',
      extensions: { execution: { status: 'interrupted' } },
    });
  });

  it('leaves no execution running when the executor itself fails', async () => {
    const overloaded = new PatchbayError('overloaded', 'busy', { retryAfter: 1 });
    const { executions, id, storage } = await setUp(() => Promise.reject(overloaded));
    await expect(executions.execute(id, { text: 'x' }, context)).rejects.toBe(overloaded);
    const [found] = await storage.scanAllTenants('executions', {}, 10);
    expect(found?.row).toMatchObject({ status: 'failed', error: { code: 'overloaded' } });
  });

  it('rejects with the original error when the failed execution cannot be recorded', async () => {
    const overloaded = new PatchbayError('overloaded', 'busy', { retryAfter: 1 });
    const parts = await setUp(() => Promise.reject(overloaded));
    const commit: Storage['commit'] = async (tenant, writes) => {
      if (writes.some((write) => 'update' in write)) throw new PatchbayError('storage_unavailable', 'down');
      return await parts.storage.commit(tenant, writes);
    };
    const logged: object[] = [];
    const logger = { ...context.logger, error: (_: string, fields: object = {}) => void logged.push(fields) };
    const storage = { ...parts.storage, commit };
    const engine = new ExecutionEngine({ ...parts.engineParts, storage, logger });
    const executions = createExecutionService({ ...parts, engine });
    await expect(executions.execute(parts.id, { text: 'x' }, context)).rejects.toBe(overloaded);
    const [left] = await parts.storage.scanAllTenants('executions', { status: 'running' }, 2);
    expect(logged).toMatchObject([{ executionId: left?.row.id, error: { code: 'storage_unavailable' } }]);
  });

  it('refuses input that its defaults make too large, without building it', async () => {
    const parts = createParts(createScriptedExecutor(() => ({})).executor);
    const text = { type: 'string', default: 'x'.repeat(60_000) } as const;
    const items = { type: 'object', properties: { text } } as const;
    const input = { type: 'object', properties: { list: { type: 'array', items } } } as const;
    const { id } = await createFunctionService(parts).create({ ...summarize, input }, context);
    const run = createExecutionService(parts).execute(id, { list: Array(20_000).fill({}) }, context);
    await expect(run).rejects.toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/input', code: 'too_large' }],
    });
  });

  it('rejects with executor_unavailable without an executor', async () => {
    const parts = createParts();
    const { id } = await createFunctionService(parts).create(summarize, context);
    const run = createExecutionService(parts).execute(id, { text: 'x' }, context);
    await expect(run).rejects.toMatchObject({ code: 'executor_unavailable' });
  });

  it('rejects functions and executions of another tenant as not found', async () => {
    const { executions, id } = await setUp();
    const other = contextOf('b');
    const execution = await executions.execute(id, { text: 'x' }, context);
    await expect(executions.get(execution.id, other)).rejects.toMatchObject({ code: 'execution_not_found' });
    await expect(executions.execute(id, { text: 'x' }, other)).rejects.toMatchObject({ code: 'function_not_found' });
    const page = { limit: 20, offset: 0, sort: 'createdAt', order: 'desc' } as const;
    await expect(executions.listForFunction(id, page, other)).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('lists runs without their documents and logs', async () => {
    const { executions, id } = await setUp();
    const execution = await executions.execute(id, { text: 'x' }, context);
    const row = Object.fromEntries(executionSummary.map((name) => [name, execution[name]]));
    expect(Object.keys(row)).not.toContain('logs');
    const page = { limit: 20, offset: 0, sort: 'createdAt', order: 'desc' } as const;
    expect(await executions.listForFunction(id, page, context)).toEqual({ rows: [row], total: 1 });
  });

  it('treats __proto__ in the input as data', async () => {
    const { executions, id, jobs } = await setUp();
    const input = JSON.parse('{"text":"x","__proto__":{"polluted":true}}') as { text: string };
    const execution = await executions.execute(id, input, context);
    expect(JSON.stringify(execution.input)).toBe('{"text":"x","__proto__":{"polluted":true}}');
    expect(jobs).toEqual(['{"text":"x","__proto__":{"polluted":true},"maxPoints":5}']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
