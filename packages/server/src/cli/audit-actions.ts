import type { Operator } from '@patchbay/core';
import { counted } from './counted.ts';
import type { Output } from './operator-command.ts';

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
    else if (!broken) output.result(`${report.tenant}: ${counted(verified, 'entry', 'entries')}, all in order`);
    else {
      const entry = broken.id === undefined ? `entry ${broken.sequence}` : `entry ${broken.sequence} (${broken.id})`;
      output.result(`${report.tenant}: BROKEN at ${entry}: ${broken.reason}; ${verified} before it are in order`);
    }
  }
  const broken = reports.filter((report) => report.broken).length;
  const inOrder = counted(reports.length, 'log is in order', 'logs are in order');
  output.note(
    broken === 0 ? inOrder : `${broken} of ${counted(reports.length, 'log')} ${broken === 1 ? 'is' : 'are'} broken`,
  );
  return broken === 0 ? 0 : 1;
}
