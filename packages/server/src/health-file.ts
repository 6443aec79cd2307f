import { writeFileSync } from 'node:fs';
import type { Logger } from '@patchbay/core/plugin';

/**
 * Write where this process answers for its health into the file that `PATCHBAY_HEALTH_FILE` names: the check of a container
 * cannot know whether it runs a server or a worker, nor what their config says about port and path.
 */
export function writeHealthFile(env: NodeJS.ProcessEnv, readiness: string, logger: Logger): void {
  const file = env['PATCHBAY_HEALTH_FILE'];
  if (!file) return;
  try {
    writeFileSync(file, readiness);
  } catch (error) {
    logger.warn('the file in PATCHBAY_HEALTH_FILE cannot be written', { error });
  }
}
