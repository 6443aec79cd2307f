import type { Operation } from '../operation.ts';
import { auditOperations } from './audit.ts';
import { callOperations } from './calls.ts';
import { executionLogOperations } from './execution-logs.ts';
import { executionOperations } from './executions.ts';
import { functionOperations } from './functions.ts';
import { gatewayOperations } from './gateway.ts';
import { keyOperations } from './keys.ts';
import { metricsOperations } from './metrics.ts';
import { modelOperations } from './models.ts';
import { observedNameOperations } from './observed-names.ts';
import { requestOperations } from './requests.ts';
import { settingsOperations } from './settings.ts';
import { systemOperations } from './system.ts';
import { usageOperations } from './usage.ts';
import { versionOperations } from './versions.ts';
import { webhookDeliveryOperations } from './webhook-deliveries.ts';
import { webhookOperations } from './webhooks.ts';

const table = [
  ...functionOperations,
  ...executionOperations,
  ...executionLogOperations,
  ...versionOperations,
  ...settingsOperations,
  ...callOperations,
  ...observedNameOperations,
  ...gatewayOperations,
  ...modelOperations,
  ...keyOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...auditOperations,
  ...usageOperations,
  ...requestOperations,
  ...metricsOperations,
  ...systemOperations,
] as const;

/** Every endpoint of Patchbay. A new one is a new row: routing, checks, documents and both binders follow from it. */
export const operations: readonly Operation[] = table;

/** The id of an endpoint of Patchbay: the `operationId` of the OpenAPI document. */
export type OperationId = (typeof table)[number]['id'];
