/**
 * The entry for providers, next to `@patchbay/core/plugin`: the shapes of chats and embeddings, the transport, and a kit
 * for adapters of vendors over HTTP. It has no runtime dependency.
 *
 * @module
 */

export { jsonTextOf } from './base/json-text-of.ts';
export { RepeatedJson } from './base/repeated-json.ts';
export type { UpstreamFaultKind } from './contracts/errors.ts';
export type { Dialect, ForwardedResponse, ForwardRequest } from './contracts/forward.ts';
export type {
  AssistantContent,
  AssistantPart,
  AudioPart,
  CacheMark,
  ContentPart,
  Extra,
  FilePart,
  ImagePart,
  Message,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from './contracts/message.ts';
export type {
  ChatDelta,
  ChatRequest,
  ChatResult,
  EmbedRequest,
  EmbedResult,
  FinishReason,
  ModelInfo,
  Provider,
  Tool,
  ToolCall,
  Usage,
} from './contracts/provider.ts';
export { finishReasons, modelCapabilities } from './contracts/provider.ts';
export { faultOfStatus, providerError } from './contracts/provider-error.ts';
export type { Transport, TransportOptions } from './contracts/transport.ts';
export { assertSupported, findModel } from './provider-kit/assert-supported.ts';
export { completeChat, finishDelta } from './provider-kit/complete-chat.ts';
export { fieldsOf, type JsonFields, listOf, textOf } from './provider-kit/json-fields.ts';
export { type LevelledSchema, levelSchema, type SchemaDialect } from './provider-kit/level-schema.ts';
export { ContentBuilder, contentText, partsOf, textMessages, toolCallsOf } from './provider-kit/message-content.ts';
export { mergeModels, modelOptions } from './provider-kit/model-options.ts';
export { offProvider, providerName } from './provider-kit/off-provider.ts';
export {
  completeEmbedding,
  portableToolCallId,
  readToolArguments,
  readToolCall,
} from './provider-kit/read-answer.ts';
export { foreignMembers, refuseMembers } from './provider-kit/request-members.ts';
export { embeddedImage, splitSystemMessages, type Turn } from './provider-kit/split-messages.ts';
export {
  estimateTokens,
  estimateUsage,
  readTokenCount,
  readUsage,
  type TokenCounts,
} from './provider-kit/token-usage.ts';
export { definedMembers, timeoutOptions, transportOptions } from './provider-kit/transport-options.ts';
export {
  createUpstreamClient,
  type StreamReader,
  type UpstreamClient,
  type VendorError,
} from './provider-kit/upstream-client.ts';
