import { didYouMean } from '@patchbay/core';
import type { Operation } from '../operation.ts';
import { anthropicOperations } from './anthropic.ts';
import { callRecordOperations } from './call-records.ts';
import { callOperations } from './calls.ts';
import { compatibleModelOperations } from './compatible-models.ts';
import { datasetOperations } from './datasets.ts';
import { deadLetterOperations } from './dead-letters.ts';
import { executionLogOperations } from './execution-logs.ts';
import { executionOperations } from './executions.ts';
import { experimentOperations } from './experiments.ts';
import { feedbackOperations } from './feedback.ts';
import { functionOperations } from './functions.ts';
import { gatewayOperations } from './gateway.ts';
import { keyOperations } from './keys.ts';
import { mcpOperations } from './mcp.ts';
import { modelOperations } from './models.ts';
import { observedNameOperations } from './observed-names.ts';
import { openaiOperations } from './openai.ts';
import { responseOperations } from './responses.ts';
import { scheduleOperations } from './schedules.ts';
import { settingsOperations } from './settings.ts';
import { auditOperations, metricsOperations, requestOperations, systemOperations } from './system.ts';
import { tenantOperations } from './tenants.ts';
import { usageOperations } from './usage.ts';
import { versionOperations } from './versions.ts';
import { webhookDeliveryOperations } from './webhook-deliveries.ts';
import { webhookOperations } from './webhooks.ts';

const table = [
  ...functionOperations,
  ...executionOperations,
  ...deadLetterOperations,
  ...executionLogOperations,
  ...versionOperations,
  ...settingsOperations,
  ...experimentOperations,
  ...datasetOperations,
  ...scheduleOperations,
  ...callOperations,
  ...observedNameOperations,
  ...gatewayOperations,
  ...modelOperations,
  ...openaiOperations,
  ...responseOperations,
  ...anthropicOperations,
  ...compatibleModelOperations,
  ...mcpOperations,
  ...keyOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...callRecordOperations,
  ...feedbackOperations,
  ...tenantOperations,
  ...auditOperations,
  ...usageOperations,
  ...requestOperations,
  ...metricsOperations,
  ...systemOperations,
] as const;

/** Every endpoint of Patchbay. A new one is a new row: routing, validation, documents and both binders follow from it. */
export const operations: readonly Operation[] = table;

/** The id of an endpoint of Patchbay: the `operationId` of the OpenAPI document. */
export type OperationId = (typeof table)[number]['id'];

/**
 * The operations that a host selected, as rows or by id.
 *
 * @throws TypeError for an unknown id.
 */
export function chooseOperations(chosen: readonly (Operation | OperationId)[]): readonly Operation[] {
  return chosen.map((each) => {
    if (typeof each !== 'string') return each;
    const found = operations.find(({ id }) => id === each);
    if (found) return found;
    // Callers without type checks get here.
    const ids = operations.map(({ id }) => id).toSorted();
    throw new TypeError(`there is no operation ${each}${didYouMean(each, ids) || `; there are ${ids.join(', ')}`}`);
  });
}
