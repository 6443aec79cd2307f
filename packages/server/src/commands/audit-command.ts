import type { Operator } from '@patchbay/core';
import type { Output } from './command.ts';

/** Check the audit log: exit code 1, and the first entry that is not in order, where somebody tampered with it. */
export async function verifyAudit(
  operator: Operator,
  output: Output,
  { tenant, json }: { readonly tenant: string | undefined; readonly json: boolean },
): Promise<number> {
  const reports = await operator.verifyAudit(tenant);
  for (const report of reports) {
    const { verified, broken } = report;
    if (json) output.result(JSON.stringify(report));
    else if (!broken) output.result(`${report.tenant}: ${verified} entries, all in order`);
    else {
      const entry = broken.id === undefined ? `entry ${broken.sequence}` : `entry ${broken.sequence} (${broken.id})`;
      output.result(`${report.tenant}: BROKEN at ${entry}: ${broken.reason}; ${verified} before it are in order`);
    }
  }
  const broken = reports.filter((report) => report.broken).length;
  const inOrder = reports.length === 1 ? '1 log is in order' : `${reports.length} logs are in order`;
  output.note(broken === 0 ? inOrder : `${broken} of ${reports.length} logs are broken`);
  return broken === 0 ? 0 : 1;
}
