import type { Metric } from '@patchbay/contracts/function-settings';
import type { FeedbackRow } from '@patchbay/contracts/rows';
import type { TenantId } from '@patchbay/contracts/tenant';
import { scoreCounts } from '../gateway/model-performance/score-counts.ts';
import type { TaskRecords } from '../gateway/model-performance/task-records.ts';

/** The function that feedback is about, as it is declared now. */
export interface Judged {
  /** Empty where no function was called. */
  readonly functionName: string;
  readonly metrics: ReadonlyMap<string, Metric>;
}

/**
 * Count feedback in the record of the model that answered. Answers of code, answers outside of functions, and metrics
 * that are only recorded do not count.
 *
 * @param times 1, or -1 to take it back.
 */
export function countScore(
  records: Pick<TaskRecords, 'add'>,
  tenant: TenantId,
  row: Pick<FeedbackRow, 'metric' | 'value' | 'model' | 'settingsVersion' | 'createdAt'>,
  { functionName, metrics }: Judged,
  times: 1 | -1,
): void {
  const { model, settingsVersion, createdAt } = row;
  const metric = metrics.get(row.metric);
  if (functionName === '' || model === '' || metric?.optimize === undefined) return;
  const value = Number(row.value);
  const score = metric.optimize === 'max' ? value : 1 - value;
  const scores = scoreCounts(score, Date.parse(createdAt), times * shareOf(metric, metrics));
  records.add({ tenant, functionName }, { model, settingsVersion: settingsVersion ?? 0, fit: null, scores });
}

/** The metric with the highest weight counts in full, and others in proportion to it. */
function shareOf({ weight = 1 }: Metric, metrics: ReadonlyMap<string, Metric>): number {
  const optimized = [...metrics.values()].filter(({ optimize }) => optimize !== undefined);
  const highest = Math.max(...optimized.map((each) => each.weight ?? 1));
  return highest === 0 ? 0 : weight / highest;
}
