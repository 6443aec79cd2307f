import type { ChatRequest } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { reasoningConfig } from './reasoning-config.ts';

type Effort = NonNullable<ChatRequest['reasoningEffort']>;
const tools = [{ name: 'find', parameters: { type: 'object' } }] as const;

function configOf(name: string, reasoningEffort: Effort | undefined, more: Partial<ChatRequest> = {}, limit = 64_000) {
  const model = catalogue.find((known) => known.name === name) ?? { name, capabilities: ['chat'] as const };
  const effort = reasoningEffort && { reasoningEffort };
  return reasoningConfig('anthropic', model, { model: name, messages: [], ...effort, ...more }, limit);
}

describe('reasoningConfig', () => {
  it.each<[string, Effort | undefined, object]>([
    ['claude-opus-5-5', undefined, {}],
    ['claude-opus-5-5', 'low', { effort: 'low' }],
    ['claude-sonnet-5-5', 'xhigh', { effort: 'xhigh' }],
    ['claude-opus-4-7', 'xhigh', { thinking: { type: 'adaptive' }, effort: 'xhigh' }],
    ['claude-sonnet-4-6', 'medium', { thinking: { type: 'adaptive' }, effort: 'medium' }],
    ['claude-haiku-4-5', 'minimal', { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    ['claude-haiku-4-5', 'high', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['claude-haiku-4-5', 'xhigh', { thinking: { type: 'enabled', budget_tokens: 32_000 } }],
    ['claude-haiku-4-5', 'none', {}],
    ['claude-opus-4-8', 'none', {}],
    ['claude-opus-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-haiku-5-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', 'none', { thinking: { type: 'between_tools' } }],
    ['own', 'none', {}],
  ])('%s with %s', (model, effort, config) => {
    expect(configOf(model, effort)).toEqual({ ...config, warnings: [] });
  });

  it.each<[string, Effort, object, string]>([
    ['claude-opus-5-5', 'none', { effort: 'low' }, 'always reasons: reasoningEffort none was sent as low'],
    ['claude-opus-5-5', 'minimal', { effort: 'low' }, 'has no reasoningEffort minimal: it was sent as low'],
    [
      'claude-opus-4-6',
      'xhigh',
      { thinking: { type: 'adaptive' }, effort: 'high' },
      'has no reasoningEffort xhigh: it was sent as high',
    ],
  ])('%s has no %s, and says so', (model, effort, config, warning) => {
    expect(configOf(model, effort)).toEqual({ ...config, warnings: [`anthropic/${model} ${warning}`] });
  });

  it('leaves at least half of the token limit for the answer', () => {
    expect(configOf('claude-haiku-4-5', 'high', {}, 5_000).thinking).toEqual({ type: 'enabled', budget_tokens: 2_500 });
    expect(configOf('claude-haiku-4-5', 'high', {}, 2_047)).toEqual({
      warnings: ['anthropic/claude-haiku-4-5 does not reason within maxTokens below 2048'],
    });
  });

  it('says where tools get in its way', () => {
    const forced = { tools, toolChoice: { name: 'find' } };
    expect(configOf('claude-haiku-4-5', 'high', forced)).toEqual({
      warnings: ['anthropic/claude-haiku-4-5 does not reason where it is forced to call a tool'],
    });
    // Reasoning by budget is what is in the way.
    const adaptive = { thinking: { type: 'adaptive' }, effort: 'high', warnings: [] };
    expect(configOf('claude-opus-4-8', 'high', forced)).toEqual(adaptive);
    expect(configOf('claude-sonnet-5-5', 'none', { tools }).warnings).toEqual([
      'anthropic/claude-sonnet-5-5 still reasons between calls of tools',
    ]);
  });

  it('refuses sampling that Anthropic refuses beside reasoning, and effort of models that do not reason', () => {
    const refused = expect.objectContaining({ code: 'unsupported_parameter' });
    expect(() => configOf('claude-haiku-4-5', 'high', { temperature: 0 })).toThrow(refused);
    expect(() => configOf('claude-opus-4-6', 'high', { topP: 0.5 })).toThrow(refused);
    expect(configOf('claude-haiku-4-5', 'none', { temperature: 0 }).warnings).toEqual([]);
    expect(() => configOf('own', 'high')).toThrow(refused);
  });
});
