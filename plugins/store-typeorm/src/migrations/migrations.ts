import type { MigrationInterface } from 'typeorm';
import { ExecutionCounts1795330000000 } from './execution-counts.ts';
import { ExecutionParents1795320000000 } from './execution-parents.ts';
import { FunctionSettings1795300000000 } from './function-settings.ts';
import { IdempotencyKeys1795258800000 } from './idempotency-keys.ts';
import { InitialSchema1767225600000 } from './initial-schema.ts';
import { JobTurns1795380000000 } from './job-turns.ts';
import { Jobs1795255200000 } from './jobs.ts';
import { KeysAndAudit1767312000000 } from './keys-and-audit.ts';
import { ObservedNames1795360000000 } from './observed-names.ts';
import { Usage1795310000000 } from './usage.ts';
import { Webhooks1795370000000 } from './webhooks.ts';

/** Every migration, oldest first. A migration that was released is never changed. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  InitialSchema1767225600000,
  KeysAndAudit1767312000000,
  Jobs1795255200000,
  IdempotencyKeys1795258800000,
  FunctionSettings1795300000000,
  Usage1795310000000,
  ExecutionParents1795320000000,
  ExecutionCounts1795330000000,
  ObservedNames1795360000000,
  Webhooks1795370000000,
  JobTurns1795380000000,
];
