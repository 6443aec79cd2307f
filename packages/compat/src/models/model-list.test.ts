import Anthropic from '@anthropic-ai/sdk';
import { PatchbayError } from '@patchbay/core/plugin';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { CatalogModel } from '../gateway-types.ts';
import { modelEntry, modelList } from './model-list.ts';

const model = (provider: string, name: string): CatalogModel => ({
  id: `${provider}/${name}`,
  provider,
  info: { name, capabilities: ['chat'], contextWindow: 200_000, maxTokens: 8_192 },
  createdAt: '2026-11-22T10:00:00.000Z',
});
const models = [model('acme', 'large'), model('acme', 'both'), model('other', 'both')];
const aliases = {
  fast: { model: 'acme/large' },
  any: { model: 'auto:cost' },
  bare: { model: 'large' },
  two: { model: 'both' },
  hidden: { model: 'secret/model' },
};
const ids = [
  'acme/large',
  'acme/both',
  'other/both',
  'auto',
  'fast',
  'anthropic/fast',
  'any',
  'anthropic/any',
  'bare',
  'anthropic/bare',
];

describe('modelList', () => {
  it('has what the clients of both vendors read', () => {
    const entry = {
      id: 'acme/large',
      object: 'model',
      type: 'model',
      created: 1_795_341_600,
      created_at: '2026-11-22T10:00:00.000Z',
      owned_by: 'acme',
      display_name: 'large',
      max_input_tokens: 200_000,
      max_tokens: 8_192,
    };
    const auto = { id: 'auto', owned_by: 'patchbay', display_name: 'auto', max_input_tokens: null };
    expect(modelList(models.slice(0, 1))).toEqual({
      object: 'list',
      data: [expect.objectContaining(entry), expect.objectContaining(auto)],
      has_more: false,
      first_id: 'acme/large',
      last_id: 'auto',
    });
    expect(modelList([])).toEqual({ object: 'list', data: [], has_more: false, first_id: null, last_id: null });
  });

  it('has aliases twice, and none of models that the caller may not use', async () => {
    const fetch = async () => Response.json(modelList(models, aliases));
    const listed = [];
    for await (const { id } of new OpenAI({ apiKey: 'key', fetch }).models.list()) listed.push(id);
    expect(listed).toEqual(ids);
    const again = [];
    for await (const { id } of new Anthropic({ apiKey: 'key', fetch }).models.list()) again.push(id);
    expect(again).toEqual(ids);
  });

  it('prefers the id of a model to an alias of the same name', () => {
    const { data } = modelList(models, { 'acme/large': { model: 'acme/both' } }) as unknown as {
      data: { id: string; owned_by: string }[];
    };
    expect(data.filter(({ id }) => id === 'acme/large')).toEqual([expect.objectContaining({ owned_by: 'acme' })]);
  });
});

describe('modelEntry', () => {
  it.each([
    ['acme/large', 'large'],
    ['large', 'large'],
    ['fast', 'fast'],
    ['anthropic/fast', 'fast'],
  ])('finds %s', (id, name) => {
    expect(modelEntry(id, models, aliases)).toMatchObject({ id, display_name: name, max_tokens: 8_192 });
  });

  it.each(['auto', 'auto:cost'])('finds the automatic choice %s', (id) => {
    expect(modelEntry(id, models, aliases)).toMatchObject({ id, owned_by: 'patchbay', max_tokens: null });
  });

  it.each(['both', 'secret/model', 'hidden', 'auto:cheap', 'fn/summarize', ''])('knows no model %j', (id) => {
    expect(() => modelEntry(id, models, aliases)).toThrow(expect.objectContaining({ code: 'model_not_found' }));
    expect(() => modelEntry(id, models, aliases)).toThrow(PatchbayError);
  });
});
