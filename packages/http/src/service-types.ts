import type { App, checkJson, createRequestContext, PatchbayError, usageGroupings } from '@patchbay/core';

// Derived from the services: the core exports what hosts build with, not every shape that an endpoint passes on.

type Services = App['services'];

export type FunctionInput = Parameters<Services['functions']['create']>[0];
export type TestedFunction = Parameters<Services['executions']['test']>[0];
type FunctionPage = Awaited<ReturnType<Services['functions']['list']>>;
/** A page of any list. */
export interface Page<R> extends Omit<FunctionPage, 'rows'> {
  readonly rows: readonly R[];
}
/** The request for a page, sorted by one of the fields `S`. */
export interface PageRequest<S extends string> extends Omit<Parameters<Services['functions']['list']>[0], 'sort'> {
  readonly sort: S;
}
export type TestEvent = ItemOf<Awaited<ReturnType<Services['executions']['streamTest']>>>;
export type ExecutionSummary = Awaited<ReturnType<Services['executions']['list']>>['rows'][number];
export type DeadLetter = Awaited<ReturnType<Services['executions']['deadLetters']['list']>>['rows'][number];
export type Rerun = Awaited<ReturnType<Services['executions']['deadLetters']['rerun']>>['rows'][number];
export type LogPlace = NonNullable<Parameters<Services['executions']['followLogs']>[1]>;
export type LogEvent = ItemOf<Awaited<ReturnType<Services['executions']['followLogs']>>>;
export type CallInput = Parameters<Services['calls']['call']>[1];
export type StreamedCall = Awaited<ReturnType<Services['calls']['stream']>>;
export type CallEvent = ItemOf<StreamedCall['events']>;
export type SecretKey = Awaited<ReturnType<Services['keys']['create']>>;
export type WebhookInput = Parameters<Services['webhooks']['create']>[0];
export type SecretWebhook = Awaited<ReturnType<Services['webhooks']['create']>>;
export type ExperimentInput = Parameters<Services['experiments']['start']>[1];
export type ExampleInput = Parameters<Services['datasets']['add']>[1][number];
export type ScheduleInput = Parameters<Services['schedules']['create']>[1];
export type Schedule = Awaited<ReturnType<Services['schedules']['get']>>;
export type FeedbackInput = Parameters<Services['feedback']['give']>[0];
export type EvidenceInput = Parameters<Services['feedback']['applyEvidence']>[1];
export type Feedback = Awaited<ReturnType<Services['feedback']['get']>>;
export type CallRecord = Awaited<ReturnType<Services['callRecords']['get']>>;
export type StoredContent = NonNullable<Awaited<ReturnType<Services['callRecords']['content']>>>;
export type FollowedCalls = ReturnType<Services['callRecords']['follow']>;
export type UsageReport = Awaited<ReturnType<Services['usage']['report']>>;
export type BudgetState = Awaited<ReturnType<Services['usage']['budgets']>>['budgets'][number];
export type CallSums = Awaited<ReturnType<Services['usage']['overview']>>['total'];
export type UsageTotals = UsageReport['total'];
export type UsageGrouping = (typeof usageGroupings)[number];
export type Admission = Awaited<ReturnType<Services['limits']['admit']>>;
export type OperationClass = Parameters<Services['limits']['enter']>[1];
export type BodyShare = ReturnType<Services['limits']['openBody']>;
export type Slot = ReturnType<Services['limits']['enter']>;
export type SettingsService = Services['settings'];
export type OpenRequestContext = ReturnType<typeof createRequestContext>;
export type JsonDocument = Awaited<ReturnType<typeof checkJson>>;
export type ErrorDetail = NonNullable<PatchbayError['errors']>[number];

type Begun = Awaited<ReturnType<Services['idempotency']['begin']>>;
export type IdempotencyClaim = Extract<Begun, { readonly claim: unknown }>['claim'];
export type KeptAnswer = Extract<Begun, { readonly kept: unknown }>['kept'];

type ItemOf<Items> = Items extends AsyncIterable<infer Item> ? Item : never;
