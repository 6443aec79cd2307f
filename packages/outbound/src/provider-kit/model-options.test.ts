import type { ModelInfo } from '@patchbay/contracts/provider';
import { describe, expect, it } from 'vitest';
import { findModel } from './assert-supported.ts';
import { mergeModels } from './model-options.ts';

const large: ModelInfo = { name: 'large', capabilities: ['chat', 'tools'], maxTokens: 10, vendor: 'acme' };

describe('mergeModels', () => {
  it('adds models, which can chat unless they say otherwise', () => {
    const models = mergeModels(
      [large],
      [{ name: 'own' }, { name: 'vectors', capabilities: ['embeddings'], dimensions: 3 }],
    );
    expect([...models.values()]).toEqual([
      large,
      { name: 'own', capabilities: ['chat'] },
      { name: 'vectors', capabilities: ['embeddings'], dimensions: 3 },
    ]);
  });

  it('changes only the named members of a known model', () => {
    const models = mergeModels([large], [{ name: 'large', maxTokens: 5 }]);
    expect([...models.values()]).toEqual([{ ...large, maxTokens: 5 }]);
  });
});

describe('findModel', () => {
  it('finds by name and capability', () => {
    const models = mergeModels([large]);
    expect(findModel('acme', models, 'large', 'chat')).toBe(large);
    expect(() => findModel('acme', models, 'small', 'chat')).toThrow('acme has no model small');
    expect(() => findModel('acme', models, 'large', 'embeddings')).toThrow('acme/large does not support embeddings');
  });
});
