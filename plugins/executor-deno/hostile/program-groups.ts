import type { HostileProgram } from './hostile-program.ts';
import type { Result } from './judge.ts';
import { attemptsOf } from './toolkit.ts';

/** Programs that are tried together in one process. */
export interface ProgramGroup {
  readonly programs: readonly HostileProgram[];
  readonly code: string;
}

/** Programs that change the process for those that come after. */
const CHANGES =
  /registerHooks|register\(|prepareStackTrace|createHook|\.on\('SIG|setFlags|setPrototypeOf|worker\(|abort|exit/u;

/** Put programs that are one expression together, and give back the others as they are. */
export function groupPrograms(
  programs: readonly HostileProgram[],
  size: number,
): { readonly groups: readonly ProgramGroup[]; readonly others: readonly HostileProgram[] } {
  const isSmall = ({ expression, wallMs }: HostileProgram): boolean =>
    expression !== undefined && wallMs === undefined && !CHANGES.test(expression);
  const small = programs.filter((program) => isSmall(program));
  const groups: ProgramGroup[] = [];
  for (let start = 0; start < small.length; start += size) {
    const members = small.slice(start, start + size);
    groups.push({ programs: members, code: attemptsOf(members.map(({ expression = '' }) => expression)) });
  }
  return { groups, others: programs.filter((program) => !isSmall(program)) };
}

/** The result of each member of a group; none where the group did not get through. */
export function resultsOf(result: Result): readonly Result[] {
  if (result.kind !== 'ended' || result.outcome.status !== 'completed') return [];
  const { outcome } = result;
  const { results } = JSON.parse(outcome.output) as { readonly results: readonly object[] };
  return results.map((output) => ({ kind: 'ended', outcome: { ...outcome, output: JSON.stringify(output) } }));
}
