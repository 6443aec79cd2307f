/**
 * Conformance suites: what a plugin of each kind has to do, as tests that run against yours.
 *
 * @module
 */
export { createTestApp, type TestApp, type TestLogEntry } from './app/create-test-app.ts';
export type { TestRun } from './app/in-process-executor.ts';
export { type TestModelRequest, testPrompts } from './app/test-models.ts';
export { authenticatorConformance } from './authenticator/authenticator-conformance.ts';
export type {
  AuthenticatorConformanceOptions,
  AuthenticatorUnderTest,
  PresentedRequest,
  TokenRequest,
} from './authenticator/authenticator-under-test.ts';
export { cacheConformance } from './cache/cache-conformance.ts';
export type { CacheConformanceOptions, CacheUnderTest } from './cache/cache-under-test.ts';
export { type ApiConformanceOptions, type ApiTopic, apiConformance } from './contract/api-conformance.ts';
export type { ApiUnderTest, ServedApi } from './contract/api-under-test.ts';
export { type HostConformanceOptions, hostConformance } from './contract/host-conformance.ts';
export { type ReadEvent, readEvents } from './contract/read-events.ts';
export { serveLocally } from './contract/serve-locally.ts';
export { executorConformance } from './executor/executor-conformance.ts';
export type { ExecutorConformanceOptions, ExecutorTopic, ExecutorUnderTest } from './executor/executor-under-test.ts';
export { failingTests } from './failing-tests.ts';
export { providerConformance } from './provider/provider-conformance.ts';
export type { ProviderConformanceOptions, ProviderSetup } from './provider/provider-under-test.ts';
export { type SdkConformanceOptions, sdkConformance } from './provider/sdk-conformance.ts';
export { queueConformance } from './queue/queue-conformance.ts';
export type { QueueConformanceOptions, QueueUnderTest } from './queue/queue-under-test.ts';
export { type StorageQueueSubject, storageQueueSubject } from './queue/storage-queue-subject.ts';
export { rateLimiterConformance } from './rate-limiter/rate-limiter-conformance.ts';
export type { RateLimiterConformanceOptions, TestTime } from './rate-limiter/rate-limiter-under-test.ts';
export { routerConformance } from './router/router-conformance.ts';
export type { RouterConformanceOptions } from './router/router-under-test.ts';
export type { Runner } from './runner.ts';
export {
  type SecretsConformanceOptions,
  type SecretsUnderTest,
  secretsConformance,
} from './secrets/secrets-conformance.ts';
export { compareStorages, type StorageComparison } from './storage/compare-storages.ts';
export { storageConformance } from './storage/storage-conformance.ts';
export type { StorageConformanceOptions, StorageUnderTest } from './storage/storage-under-test.ts';
export { type TelemetryConformanceOptions, telemetryConformance } from './telemetry/telemetry-conformance.ts';
export { type TestContextOptions, testContext } from './test-context.ts';
export {
  type ToolServerConformanceOptions,
  type ToolServerUnderTest,
  toolServerConformance,
} from './tool-server/tool-server-conformance.ts';
export {
  type AnswerStream,
  type CompleteAnswer,
  type Exchange,
  type KnownDialect,
  type Refusal,
  type RefusalCause,
  type Reply,
  type StreamEvent,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamDialect,
  type UpstreamFaultCase,
  type UpstreamOptions,
  type UpstreamRequest,
  upstreamFaults,
  upstreamReplies,
} from './upstream/index.ts';
export { type Certificate, selfSignedCertificate } from './upstream/self-signed-certificate.ts';
