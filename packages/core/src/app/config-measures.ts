import type { AppConfig } from '../config/app-config.ts';
import type { Clock } from '../contracts/clock.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Sample } from '../contracts/telemetry.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { ReloadReport } from './reload.ts';

/** Remembers how the last reload went, for whoever looks at the metrics instead of the log. */
export interface ConfigMeasures {
  /** Reload, and count it. A config that cannot be read, or that `reload` rejects, was refused. */
  reload(
    config: AppConfig | (() => Promise<AppConfig>),
    reload: (config: AppConfig) => Promise<ReloadReport>,
  ): Promise<ReloadReport>;
  samples(): readonly Sample[];
}

export function createConfigMeasures({ count }: Pick<Measuring, 'count'>, clock: Clock): ConfigMeasures {
  let loadedAt = clock.now();
  let refused = false;
  // From the start, so that the first one is seen to be more than none.
  for (const result of ['done', 'refused']) count('patchbay.config.reloads', 0, { result });
  return {
    async reload(config, reload) {
      try {
        const report = await reload(typeof config === 'function' ? await config() : config);
        [loadedAt, refused] = [clock.now(), false];
        count('patchbay.config.reloads', 1, { result: 'done' });
        return report;
      } catch (error) {
        // The process ends: that says nothing about the config.
        if (PatchbayError.is(error) && error.code === 'shutting_down') throw error;
        refused = true;
        count('patchbay.config.reloads', 1, { result: 'refused' });
        throw error;
      }
    },
    samples: () => [
      { name: 'patchbay.config.loaded.timestamp', value: loadedAt / 1_000 },
      { name: 'patchbay.config.refused', value: refused ? 1 : 0 },
    ],
  };
}
