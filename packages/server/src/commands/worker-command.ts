import { parseArgs } from 'node:util';
import type { WorkerConfig } from '../worker/worker-config.ts';

/** `patchbay worker`, as it was typed. */
export interface WorkerCommand {
  readonly config: string | undefined;
  /** What goes before the section `worker` of the config. */
  readonly listen: Partial<Pick<WorkerConfig, 'host' | 'port'>>;
}

/**
 * @returns undefined where it asks for help.
 * @throws TypeError with a message for people.
 */
export function parseWorkerCommand(args: readonly string[], env: NodeJS.ProcessEnv): WorkerCommand | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: 'string', short: 'c' },
      help: { type: 'boolean', short: 'h' },
      host: { type: 'string' },
      port: { type: 'string' },
    },
  });
  const { host, port } = values;
  if (values.help) return undefined;
  if (host === '') throw new TypeError('--host is an address');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new TypeError('--port is a number from 0 to 65535');
  }
  return {
    config: values.config ?? (env['PATCHBAY_CONFIG'] || undefined),
    listen: { ...(host !== undefined && { host }), ...(port !== undefined && { port: Number(port) }) },
  };
}
