import { createApp, PatchbayError } from '@patchbay/core';
import { definePlugin, type ExecutionOutcome, type Executor, type RequestContext } from '@patchbay/core/plugin';
import type { HostileProgram } from './hostile-program.ts';
import type { Result } from './judge.ts';

type ProgramToRun = Pick<HostileProgram, 'code'> & {
  readonly input: object;
  readonly limits: { readonly wallMs: number; readonly outputBytes: number };
};

/** Runs programs as agents do: through the service that checks, records and runs them. */
export interface CodeMode {
  run(program: ProgramToRun, context: RequestContext): Promise<Result>;
  stop(): Promise<void>;
}

/** An app around an executor that is started already, and that it does not stop. */
export async function startCodeMode(executor: Executor): Promise<CodeMode> {
  const limits = new Map<string, ProgramToRun['limits']>();
  const outcomes = new Map<string, ExecutionOutcome>();
  const plugin = definePlugin({
    name: 'hostile-executor',
    kind: 'executor',
    version: 1,
    config: { properties: {} },
    create: () => ({
      prepareProgram: async (source, context) =>
        (await executor.prepareProgram?.(source, context)) ?? Promise.reject(new Error('there are no programs')),
      async execute(job, context) {
        const { tenant } = context.caller;
        const outcome = await executor.execute({ ...job, limits: { ...job.limits, ...limits.get(tenant) } }, context);
        outcomes.set(tenant, outcome);
        return outcome;
      },
    }),
  });
  const app = await createApp({ patchbay: 1, executor: { use: plugin }, limits: { off: true } });
  return {
    async run(program, context) {
      const { tenant } = context.caller;
      limits.set(tenant, program.limits);
      const caller = { ...context.caller, scopes: ['code:run', 'functions:execute'] as const };
      const code = bodyOf(program);
      try {
        const { output } = await app.services.codeMode.run(code, { ...context, caller });
        const outcome = outcomes.get(tenant);
        if (outcome?.status !== 'completed') throw new Error('a run that was not seen has completed');
        const { value = null } = output as { readonly value?: unknown };
        return { kind: 'ended', outcome: { ...outcome, output: JSON.stringify(value) } };
      } catch (error) {
        if (!PatchbayError.is(error)) throw error;
        if (error.code === 'code_invalid')
          return { kind: 'refused', faults: error.errors.map(({ code: fault }) => fault) };
        const outcome = outcomes.get(tenant);
        if (outcome === undefined) throw error;
        return { kind: 'ended', outcome };
      } finally {
        limits.delete(tenant);
        outcomes.delete(tenant);
      }
    },
    stop: () => app.host.stop(0),
  };
}

const FUNCTION = /^export default (?:async )?\(/mu;

/** Whether code is one function, which a program can call. */
export const isFunction = ({ code }: Pick<HostileProgram, 'code'>): boolean =>
  FUNCTION.test(code) && code.match(/\bexport\b/gu)?.length === 1;

/** Whether a program of the catalogue has an equal in code mode, where the steps of an iterator are no outputs. */
export const runsInCodeMode = (program: HostileProgram): boolean =>
  isFunction(program) && program.category !== 'generators';

/** A program that calls the function with its input, and with the part of the context that programs have. */
function bodyOf({ code, input }: Pick<ProgramToRun, 'code' | 'input'>): string {
  const body = code.replace(FUNCTION, (found) => found.replace('export default', 'const main ='));
  return `${body}\nreturn await main(${JSON.stringify(input)}, { functions, log });`;
}
