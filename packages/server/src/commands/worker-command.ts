import type { WorkerConfig } from '../worker/worker-config.ts';

/** `patchbay worker`, as it was typed. */
export interface WorkerCommand {
  readonly config: string | undefined;
  /** What goes before the section `worker` of the config. */
  readonly listen: Partial<Pick<WorkerConfig, 'host' | 'port'>>;
}
