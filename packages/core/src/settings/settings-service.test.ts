import { describe, expect, it } from 'vitest';
import { createExperimentService } from '../experiments/experiment-service.ts';
import { contextOf, createParts, summarize } from '../functions/fixtures/function-parts.ts';
import { createFunctionService } from '../functions/function-service.ts';
import { createSettingsService } from './settings-service.ts';

const context = contextOf('acme');
const page = { limit: 20, offset: 0, sort: 'version', order: 'desc' } as const;

function createServices() {
  const parts = createParts();
  const configured = { '*': { temperature: 0.5, routing: { optimize: 'cost' } } } as const;
  const settings = createSettingsService({ ...parts, configured, label: 'production' });
  return { ...parts, functions: createFunctionService(parts), settings };
}

async function withFunction() {
  const services = createServices();
  const { id } = await services.functions.create(summarize, context);
  return { ...services, id };
}

describe('settings', () => {
  it('settings have versions that never change, and labels that point to them', async () => {
    const { settings, id } = await withFunction();
    await expect(settings.get(id, undefined, context)).rejects.toMatchObject({ code: 'settings_not_found' });
    await settings.put(id, { temperature: 0 }, {}, context);
    const second = await settings.put(id, { temperature: 1 }, { label: 'staging' }, context);
    expect(second).toMatchObject({ version: 2, label: 'staging', revision: 2, updatedBy: 'key_acme' });
    expect(await settings.get(id, undefined, context)).toMatchObject({ version: 1, values: { temperature: 0 } });
    expect(await settings.get(id, { label: 'staging' }, context)).toMatchObject({ version: 2 });
    expect((await settings.listVersions(id, page, context)).rows).toMatchObject([
      { version: 2, labels: ['staging'] },
      { version: 1, labels: ['production'] },
    ]);

    await settings.moveLabel(id, 'production', 2, context);
    expect(await settings.get(id, undefined, context)).toMatchObject({ version: 2, label: 'production', revision: 3 });
    await settings.moveLabel(id, 'production', 1, context);
    expect(await settings.get(id, undefined, context)).toMatchObject({ values: { temperature: 0 } });
    await expect(settings.moveLabel(id, 'production', 9, context)).rejects.toMatchObject({
      code: 'settings_not_found',
    });
    for (const label of ['none', 'constructor', '__proto__']) {
      await expect(settings.get(id, { label }, context)).rejects.toMatchObject({ code: 'settings_not_found' });
    }
  });

  it('settings are explained value by value, and resolved for a call', async () => {
    const { settings, functions, id } = await withFunction();
    await settings.put(id, { model: 'a/one' }, {}, context);
    expect(await settings.explain(id, context)).toContainEqual({
      name: 'model',
      value: 'a/one',
      source: 'stored production (version 1)',
    });
    expect(await settings.explain(id, context)).toContainEqual({
      name: 'temperature',
      value: 0.5,
      source: 'config *',
    });
    const row = await functions.get(id, context);
    expect(await settings.resolve(row, context)).toMatchObject({ version: 1, settings: { model: 'a/one' } });
    expect(settings.resolveName('anything')).toMatchObject({ model: 'auto', temperature: 0.5 });
  });

  it('preconditions protect settings, and none of many concurrent writes is lost', async () => {
    const { settings, id } = await withFunction();
    await settings.put(id, {}, {}, context);
    await expect(settings.put(id, {}, { ifRevision: 7 }, context)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    const written = await Promise.all(
      Array.from({ length: 10 }, (_, index) => settings.put(id, { repairs: index % 5 }, {}, context)),
    );
    expect(written.map(({ version }) => version).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('settings must fit the function', async () => {
    const { settings, id } = await withFunction();
    const examples = [{ input: { text: 1 }, output: { points: ['a'] } }];
    await expect(settings.put(id, { prompt: '{{text}}', examples }, {}, context)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/prompt' }, { pointer: '/examples/0/input/text' }],
    });
  });

  const properties = { customer: { type: 'string' } } as const;
  const closed = { properties, additionalProperties: false } as const;

  it.each([
    ['a closed schema', { type: 'object', ...closed }],
    ['a reference to a closed schema', { type: 'object', $ref: '#/$defs/input', $defs: { input: closed } }],
  ] as const)('settings count runs only by a property that inputs can have: %s', async (_, input) => {
    const { settings, functions } = createServices();
    const { id } = await functions.create({ ...summarize, input }, context);
    const by = (name: string) => ({ concurrency: { limit: 1, by: name } });
    await settings.put(id, by('customer'), {}, context);
    for (const name of ['nope', 'constructor', 'customer.id']) {
      const errors = [{ pointer: '/concurrency/by', code: 'unknown_property' }];
      await expect(settings.put(id, by(name), {}, context)).rejects.toMatchObject({ code: 'invalid_request', errors });
    }
    const made = functions.create({ ...summarize, name: 'Other', input, settings: by('nope') }, context);
    await expect(made).rejects.toMatchObject({ errors: [{ pointer: '/settings/concurrency/by' }] });
  });

  it.each([
    ['an open schema', { type: 'object', properties }],
    ['a schema for other properties', { type: 'object', properties, additionalProperties: { type: 'string' } }],
    ['patterns', { type: 'object', ...closed, patternProperties: { '^n': {} } }],
  ] as const)('settings count runs by a property that is not declared, if inputs can have it: %s', async (_, input) => {
    const { settings, functions } = createServices();
    const { id } = await functions.create({ ...summarize, input }, context);
    const values = { concurrency: { limit: 1, by: 'nope' } };
    expect(await settings.put(id, values, {}, context)).toMatchObject({ values });
  });

  it('settings belong to one tenant', async () => {
    const { settings, id } = await withFunction();
    await settings.put(id, {}, {}, context);
    const other = contextOf('other');
    for (const attempt of [
      () => settings.get(id, undefined, other),
      () => settings.put(id, {}, {}, other),
      () => settings.delete(id, other),
      () => settings.listVersions(id, page, other),
      () => settings.moveLabel(id, 'production', 1, other),
      () => settings.explain(id, other),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'function_not_found' });
    }
  });

  it('settings are deleted with their function, and on their own only if it has code', async () => {
    const { settings, functions, storage, id } = await withFunction();
    await settings.put(id, {}, {}, context);
    await settings.delete(id, context);
    await expect(settings.get(id, undefined, context)).rejects.toMatchObject({ code: 'settings_not_found' });

    const modelBacked = await functions.create({ ...summarize, code: '', settings: { model: 'a/one' } }, context);
    await expect(settings.delete(modelBacked.id, context)).rejects.toMatchObject({ code: 'conflict' });
    await functions.delete(modelBacked.id, context);
    const query = { sort: 'version', order: 'asc', limit: 1 } as const;
    expect((await storage.list(context.caller.tenant, 'settingsVersions', query)).total).toBe(0);
    expect(await storage.get(context.caller.tenant, 'functionSettings', modelBacked.id)).toBeUndefined();
  });

  it('a function without code is created together with its settings in one commit', async () => {
    const { settings, functions } = createServices();
    await expect(functions.create({ ...summarize, code: '' }, context)).rejects.toMatchObject({
      code: 'code_invalid',
      errors: [{ pointer: '/code', code: 'empty' }],
    });
    const { id, key } = await functions.create({ ...summarize, code: '', settings: { model: 'a/one' } }, context);
    expect(key).toBe('summarizeText');
    await functions.replace(id, { ...summarize, code: '' }, context);
    expect(await settings.get(id, undefined, context)).toMatchObject({ version: 1 });
    await functions.replace(id, { ...summarize, code: '', settings: { model: 'a/two' } }, context);
    expect(await settings.get(id, undefined, context)).toMatchObject({ version: 2, values: { model: 'a/two' } });
    await expect(functions.create({ ...summarize, settings: { prompt: '{{x}}' } }, context)).rejects.toMatchObject({
      errors: [{ pointer: '/settings/prompt' }],
    });
  });

  it('an experiment decides the version of a call, and that no other model is tried; all else stays the same', async () => {
    const { settings, functions, ...parts } = createServices();
    const { id } = await functions.create({ ...summarize, code: '', settings: { prompt: 'one' } }, context);
    await settings.put(id, { prompt: 'two' }, { label: 'candidate' }, context);
    const metricsOf = async () => new Map([['score', { optimize: 'max' } as const]]);
    const experiments = createExperimentService({ ...parts, label: 'production', metricsOf });
    await experiments.start(id, { variants: [1, 2] }, context);
    const row = await functions.get(id, context);
    for (const subject of ['one', 'two', 'three', 'four']) {
      const { settings: ofCall, version } = await settings.resolveCall(row, { ...context, subject });
      const prompt = version === 1 ? 'one' : 'two';
      expect(ofCall).toMatchObject({ prompt, routing: { optimize: 'cost', explore: false } });
    }
    expect(await settings.resolve(row, context)).toMatchObject({
      version: 1,
      settings: { routing: { optimize: 'cost' } },
    });
  });
});
