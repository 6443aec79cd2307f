/**
 * What providers import next to `@patchbay/core/plugin`: the shapes of chats and embeddings, the transport, and a kit
 * for adapters of vendors over HTTP. It has no runtime dependency.
 *
 * @module
 */

export { jsonTextOf } from './base/json-text-of.ts';
export type { UpstreamFaultKind } from './contracts/errors.ts';
export type {
  ChatDelta,
  ChatRequest,
  ChatResult,
  ContentPart,
  EmbedResult,
  FinishReason,
  Message,
  ModelInfo,
  Provider,
  Tool,
  ToolCall,
  Usage,
} from './contracts/provider.ts';
export { finishReasons, modelCapabilities } from './contracts/provider.ts';
export { faultOfStatus, providerError } from './contracts/provider-error.ts';
export type { Transport, TransportOptions } from './contracts/transport.ts';
export { assertSupported } from './provider-kit/assert-supported.ts';
export { completeChat, finishDelta } from './provider-kit/complete-chat.ts';
export { definedMembers } from './provider-kit/defined-members.ts';
export { embeddedImage } from './provider-kit/embedded-image.ts';
export { findModel } from './provider-kit/find-model.ts';
export { fieldsOf, type JsonFields, listOf, textOf } from './provider-kit/json-fields.ts';
export { type LevelledSchema, levelSchema, type SchemaDialect } from './provider-kit/level-schema.ts';
export { mergeModels, modelOptions } from './provider-kit/model-options.ts';
export { offProvider } from './provider-kit/off-provider.ts';
export { providerName } from './provider-kit/provider-name.ts';
export { readEmbedding } from './provider-kit/read-embedding.ts';
export { readToolArguments } from './provider-kit/read-tool-arguments.ts';
export { readUsage, type TokenCounts } from './provider-kit/read-usage.ts';
export { splitSystemMessages, type Turn } from './provider-kit/split-system-messages.ts';
export { estimateTokens, estimateUsage, readTokenCount } from './provider-kit/token-usage.ts';
export { portableToolCallId } from './provider-kit/tool-call-id.ts';
export { timeoutOptions, transportOptions } from './provider-kit/transport-options.ts';
export {
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamEvent,
  type VendorError,
} from './provider-kit/upstream-client.ts';
