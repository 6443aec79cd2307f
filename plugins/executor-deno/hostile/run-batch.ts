import type { Canaries } from './canaries.ts';
import type { HostileProgram } from './hostile-program.ts';
import { isExpected, type Result } from './judge.ts';
import { expectedOf, type Prison } from './prison.ts';
import { groupPrograms, type ProgramGroup, resultsOf } from './program-groups.ts';

/** One thing that should not have happened, with the program that did it. */
export interface Finding {
  readonly program: string;
  readonly what: string;
}

export interface Findings {
  /** A canary was seen or touched, or the host was harmed. */
  readonly escapes: readonly Finding[];
  /** A program ended in another way than it has to. */
  readonly unexpected: readonly Finding[];
}

export interface BatchOptions {
  readonly prison: Prison;
  readonly canaries: Canaries;
  /** How many programs that are one expression share a process; 1 gives each its own. */
  readonly groupSize: number;
}

const nameOf = ({ category, name }: HostileProgram): string => `${category}: ${name}`;

/**
 * Run programs concurrently, then inspect the canaries and the host. If something is wrong and no program is known
 * to have done it, they run again one by one.
 */
export async function runBatch(programs: readonly HostileProgram[], options: BatchOptions): Promise<Findings> {
  const found = await runTogether(programs, options);
  if (programs.length === 1 || found.escapes.every(({ program }) => program !== '')) return found;
  const culprits: Finding[] = [];
  for (const program of programs) {
    const { escapes } = await runTogether([program], { ...options, groupSize: 1 });
    culprits.push(...escapes.map(({ what }) => ({ program: nameOf(program), what })));
  }
  const suspects = `one of ${programs.map(nameOf).join(', ')}`;
  const escapes = culprits.length > 0 ? culprits : found.escapes.map(({ what }) => ({ program: suspects, what }));
  return { ...found, escapes };
}

async function runTogether(programs: readonly HostileProgram[], options: BatchOptions): Promise<Findings> {
  const { prison, canaries, groupSize } = options;
  const escapes: Finding[] = [];
  const unexpected: Finding[] = [];
  const judge = (program: HostileProgram, result: Result, expected = program.expected): void => {
    const text = JSON.stringify(result);
    for (const secret of canaries.seenIn(text)) {
      escapes.push({ program: nameOf(program), what: `it has seen the secret "${secret}": ${text.slice(0, 300)}` });
    }
    if (!isExpected(result, expected)) unexpected.push({ program: nameOf(program), what: text.slice(0, 600) });
  };
  const guard = async (name: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      escapes.push({ program: name, what: `the executor failed: ${String(error)}` });
    }
  };
  const runAlone = async (program: HostileProgram): Promise<void> => {
    judge(program, await prison.run(program), expectedOf(program, prison.combination));
    // A process that ran it before may contain its own traces: no other program may find them.
    // Programs that run until a limit ends them run once.
    const times = program.wallMs === undefined ? prison.times : 1;
    for (let time = 1; time < times; time++) judge(program, await prison.run(program), { anything: true });
    const { next } = program;
    if (next !== undefined) judge(next, await prison.run(next, 'second'), expectedOf(next, prison.combination));
  };
  const runGroup = async (group: ProgramGroup): Promise<void> => {
    const results = resultsOf(await prison.run(group));
    // One that fails in a group may do so because of the others: what counts is how it does alone.
    for (const [index, program] of group.programs.entries()) {
      const result = results[index];
      const expected = expectedOf(program, prison.combination);
      if (result !== undefined && isExpected(result, expected)) judge(program, result, expected);
      else await runAlone(program);
    }
  };
  const { groups, others } = groupSize > 1 ? groupPrograms(programs, groupSize) : { groups: [], others: programs };
  await Promise.all([
    ...groups.map((group) => guard(group.programs.map(nameOf).join(', '), async () => await runGroup(group))),
    ...others.map((program) => guard(nameOf(program), async () => await runAlone(program))),
  ]);
  escapes.push(...canaries.check().map((what) => ({ program: '', what })));
  const harm = await prison.harm();
  if (harm !== undefined) escapes.push({ program: '', what: harm });
  return { escapes, unexpected };
}
