import type { ApiSuite } from '../api-under-test.ts';
import { callRecordOperations } from './call-record-operations.ts';
import { compatibleOperations } from './compatible-operations.ts';
import { datasetOperations } from './dataset-operations.ts';
import { deadLetterOperations } from './dead-letter-operations.ts';
import { executionOperations } from './execution-operations.ts';
import { experimentOperations } from './experiment-operations.ts';
import { feedbackOperations } from './feedback-operations.ts';
import { functionOperations } from './function-operations.ts';
import { gatewayOperations } from './gateway-operations.ts';
import { keyOperations } from './key-operations.ts';
import { mcpOperations } from './mcp-operations.ts';
import { scheduleOperations } from './schedule-operations.ts';
import { settingsOperations } from './settings-operations.ts';
import { systemOperations } from './system-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

/**
 * Every operation once, with its documented response and its most frequent refusals. The title of each test begins with
 * the id of its operation: the examples of the OpenAPI document come from what these tests send and receive, the last
 * success of each. Each test removes what it made.
 */
export function operationsSuite(suite: ApiSuite): void {
  suite.describe('operations', () => {
    // First: the sums and pages that they read contain only what they made themselves, on a server that just started.
    systemOperations(suite);
    functionOperations(suite);
    executionOperations(suite);
    deadLetterOperations(suite);
    settingsOperations(suite);
    gatewayOperations(suite);
    callRecordOperations(suite);
    feedbackOperations(suite);
    experimentOperations(suite);
    datasetOperations(suite);
    scheduleOperations(suite);
    compatibleOperations(suite);
    mcpOperations(suite);
    keyOperations(suite);
    webhookOperations(suite);
  });
}
