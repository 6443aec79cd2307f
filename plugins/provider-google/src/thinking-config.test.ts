import type { ChatRequest } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { thinkingConfig } from './chat-request.ts';

type Effort = NonNullable<ChatRequest['reasoningEffort']>;

function configOf(name: string, reasoningEffort?: Effort) {
  const model = catalogue.find((known) => known.name === name) ?? { name, capabilities: ['chat'] as const };
  return thinkingConfig('google', model, { model: name, messages: [], ...(reasoningEffort && { reasoningEffort }) });
}

describe('thinkingConfig', () => {
  it.each<[string, Effort | undefined, object | undefined]>([
    ['gemini-3.8-flash', undefined, undefined],
    ['gemini-3.8-flash', 'low', { thinkingLevel: 'low' }],
    ['gemini-4-argon', 'medium', { thinkingLevel: 'medium' }],
    ['gemini-3.7-flash', 'high', { thinkingLevel: 'high' }],
    ['gemini-3.6-flash', 'minimal', { thinkingLevel: 'minimal' }],
    ['gemini-3.5-flash-lite', 'minimal', { thinkingLevel: 'minimal' }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'minimal', { thinkingBudget: 1_024 }],
    ['gemini-2.5-flash-lite', 'low', { thinkingBudget: 1_024 }],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8_192 }],
    ['gemini-2.5-pro', 'high', { thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', 'xhigh', { thinkingBudget: 32_768 }],
    ['own', 'none', undefined],
  ])('%s with %s', (model, effort, config) => {
    expect(configOf(model, effort)).toEqual({ ...(config && { config }), warnings: [] });
  });

  it.each<[string, Effort, object, string]>([
    ['gemini-3.8-flash', 'none', { thinkingLevel: 'low' }, 'has no reasoningEffort none: it was sent as low'],
    ['gemini-3.8-flash', 'minimal', { thinkingLevel: 'low' }, 'has no reasoningEffort minimal: it was sent as low'],
    ['gemini-3.6-flash', 'none', { thinkingLevel: 'minimal' }, 'has no reasoningEffort none: it was sent as minimal'],
    ['gemini-4-argon', 'xhigh', { thinkingLevel: 'high' }, 'has no reasoningEffort xhigh: it was sent as high'],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }, 'always reasons: reasoningEffort none was sent as 128 tokens'],
    ['gemini-2.5-flash', 'xhigh', { thinkingBudget: 24_576 }, 'has no reasoningEffort xhigh: it was sent as high'],
  ])('%s has no %s, and says so', (model, effort, config, warning) => {
    expect(configOf(model, effort)).toEqual({ config, warnings: [`google/${model} ${warning}`] });
  });

  it('refuses an effort of models that do not reason', () => {
    expect(() => configOf('own', 'low')).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});
