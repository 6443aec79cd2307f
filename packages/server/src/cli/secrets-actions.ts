import type { Operator } from '@patchbay/core';
import type { Output } from './operator-command.ts';

/** Seal everything under the root secret of today: exit code 1 where something cannot be opened. */
export async function rewrapSecrets(
  operator: Operator,
  output: Output,
  { json }: { readonly json: boolean },
): Promise<number> {
  const report = await operator.rewrapSecrets();
  const { rewrapped, current, unreadable } = report;
  if (json) output.result(JSON.stringify(report));
  else {
    output.result(`${rewrapped} sealed anew, ${current} were, ${unreadable.length} cannot be opened`);
    for (const place of unreadable) output.result(`cannot be opened: ${place}`);
  }
  if (unreadable.length > 0) output.note('the root secret they were sealed under is not among previousSecrets');
  return unreadable.length === 0 ? 0 : 1;
}
