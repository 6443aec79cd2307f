/**
 * The entry for providers, next to `@patchbay/core/plugin`: the shapes of chats and embeddings, the transport, and a kit
 * for adapters of vendors over HTTP. It has no runtime dependency.
 *
 * @module
 */

export { jsonTextOf } from '@patchbay/contracts/base/json-text';
export { RepeatedJson } from '@patchbay/contracts/base/repeated-json';
export type { UpstreamFaultKind } from '@patchbay/contracts/errors';
export type { Dialect, ForwardedResponse, ForwardRequest } from '@patchbay/contracts/forward';
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
} from '@patchbay/contracts/message';
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
} from '@patchbay/contracts/provider';
export { finishReasons, modelCapabilities } from '@patchbay/contracts/provider';
export { faultOfStatus, providerError } from '@patchbay/contracts/provider-error';
export type { Transport, TransportOptions } from '@patchbay/contracts/transport';
export {
  assertSupported,
  findModel,
  foreignMembers,
  refuseMembers,
} from '@patchbay/outbound/provider-kit/assert-supported';
export { estimateTokens, estimateUsage } from '@patchbay/outbound/provider-kit/estimate-usage';
export { definedMembers, fieldsOf, type JsonFields, listOf, textOf } from '@patchbay/outbound/provider-kit/json-fields';
export { type LevelledSchema, levelSchema, type SchemaDialect } from '@patchbay/outbound/provider-kit/level-schema';
export {
  ContentBuilder,
  contentText,
  partsOf,
  textMessages,
  toolCallsOf,
} from '@patchbay/outbound/provider-kit/message-content';
export { mergeModels, modelOptions } from '@patchbay/outbound/provider-kit/model-options';
export { offProvider, providerName } from '@patchbay/outbound/provider-kit/off-provider';
export {
  completeChat,
  finishDelta,
  readTokenCount,
  readUsage,
  type TokenCounts,
} from '@patchbay/outbound/provider-kit/provider-result';
export {
  completeEmbedding,
  portableToolCallId,
  readToolArguments,
  readToolCall,
} from '@patchbay/outbound/provider-kit/read-answer';
export { embeddedImage, splitSystemMessages, type Turn } from '@patchbay/outbound/provider-kit/split-messages';
export { timeoutOptions, transportOptions } from '@patchbay/outbound/provider-kit/transport-options';
export {
  createUpstreamClient,
  type StreamReader,
  type UpstreamClient,
  type VendorError,
} from '@patchbay/outbound/provider-kit/upstream-client';
