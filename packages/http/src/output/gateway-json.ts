import type { App } from '@patchbay/core';

type Gateway = App['services']['gateway'];
type Generation = Awaited<ReturnType<Gateway['generate']>>;
type Chat = Awaited<ReturnType<Gateway['chat']>>;
type Embedding = Awaited<ReturnType<Gateway['embed']>>;
type FunctionCall = Awaited<ReturnType<Gateway['generateFunctionCall']>>;
type Model = ReturnType<Gateway['model']>;

// A field without a value is left out; the order is that of the specification, extensions last.

export function generationJson(answer: Generation) {
  const { id, text, model, promptTokens, completionTokens, totalTokens, createdAt, finishReason } = answer;
  const fields = { id, text, model, promptTokens, completionTokens, totalTokens, createdAt, finishReason };
  return { ...fields, ...warningsJson(answer) };
}

export function chatJson(answer: Chat) {
  const { id, message, model, promptTokens, completionTokens, totalTokens, createdAt, finishReason } = answer;
  const { role, content } = message;
  const fields = { id, message: { role, content }, model, promptTokens, completionTokens, totalTokens, createdAt };
  return { ...fields, finishReason, ...warningsJson(answer) };
}

export function embeddingJson(answer: Embedding) {
  const { id, embedding, model, tokens, createdAt } = answer;
  return { id, embedding, model, tokens, createdAt, ...warningsJson(answer) };
}

export function functionCallJson(answer: FunctionCall) {
  const { id, functionCall, model, promptTokens, completionTokens, totalTokens, createdAt } = answer;
  return { id, functionCall, model, promptTokens, completionTokens, totalTokens, createdAt, ...warningsJson(answer) };
}

export function modelSummaryJson({ id, provider, info }: Model) {
  const { name, capabilities, maxTokens, contextWindow, dimensions } = info;
  return { id, provider, name, capabilities, maxTokens, contextWindow, dimensions };
}

export function modelJson(model: Model) {
  const { pricing } = model.info;
  return {
    ...modelSummaryJson(model),
    pricing: pricing && { ...pricing, currency: 'USD', unit: '1M tokens' },
    createdAt: model.createdAt,
  };
}

function warningsJson({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.length > 0 ? { warnings } : {};
}
