import type { CliContext } from '../cli-context.ts';
import { loadFor } from '../config-actions.ts';
import { describeCliFailure } from '../describe-cli-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { whileWaiting } from '../say-waiting.ts';
import type { Check } from './check.ts';
import { checkMachine, checkPort } from './machine-checks.ts';
import { checkExecutor, checkSecret, checkStorage } from './part-checks.ts';
import { checkProviders } from './provider-checks.ts';

interface DoctorOptions {
  readonly config: string | undefined;
  readonly json: boolean;
}

/** Look at everything that a server needs, and tell it line by line. Asks no model, and changes nothing that is there. */
export async function doctor(context: CliContext, { config, json }: DoctorOptions): Promise<number> {
  const all: Check[] = [];
  const tell = (...checks: readonly Check[]): void => {
    for (const check of checks) {
      all.push(check);
      const { name, status, detail } = check;
      context.output.result(json ? JSON.stringify(check) : `${status.padEnd(4)}  ${name}: ${detail}`);
    }
  };
  tell(checkMachine());
  const loaded = await loadFor(context, config).catch(async (error: unknown) => {
    tell({
      name: 'config',
      status: 'fail',
      detail: (await describeCliFailure(error, context.command)).text,
    });
  });
  if (loaded) {
    tell({ name: 'config', status: 'pass', detail: loaded.file ?? 'the built-in defaults' });
    tell(await checkSecret(loaded), await checkStorage(loaded), await checkExecutor(loaded, context.env));
    const say = (waiting: string) => context.output.note(waiting);
    tell(...(await whileWaiting('the providers', say, () => checkProviders(loaded, context.signal))));
    tell(await checkPort(loaded.server, context.signal));
  }
  const count = (status: Check['status']) => all.filter((check) => check.status === status).length;
  context.output.note(`passed: ${count('pass')}, warnings: ${count('warn')}, failures: ${count('fail')}`);
  return count('fail') === 0 ? exitCodes.ok : exitCodes.failure;
}
