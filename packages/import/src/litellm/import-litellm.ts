import type { Imported } from '../imported.ts';
import { createProviderMounts } from '../provider-mounts.ts';
import { createReport } from '../report.ts';
import { createSource } from '../source/source.ts';
import { readAliases } from './read-aliases.ts';
import { readConfig } from './read-config.ts';
import { readDeployments } from './read-deployments.ts';
import { readLimits } from './read-limits.ts';
import reasons from './reasons.json' with { type: 'json' };

/**
 * Read a config of the LiteLLM proxy, and convert it to what a config of Patchbay can express.
 *
 * @param file Relative to `folder`; reported positions use it.
 * @throws Error named `UsageError`, with the position, if a file is not such a config.
 *
 * @example
 * ```ts
 * import { importLitellm } from '@patchbay/import';
 *
 * const { config, findings } = await importLitellm('config.yaml', '/etc/litellm');
 * console.log(config.gateway?.aliases, findings.filter(({ outcome }) => outcome !== 'mapped'));
 * ```
 */
export async function importLitellm(file: string, folder: string): Promise<Imported> {
  const root = createSource(await readConfig(file, folder));
  const report = createReport();
  const mounts = createProviderMounts();
  const deployments = readDeployments(root, mounts, report);
  const aliases = readAliases(root, deployments, report);
  const limits = readLimits(root, report);
  report.rest(root, reasons);
  const models = [...new Set(deployments.map(({ model }) => model))];
  return {
    config: {
      providers: mounts.all(),
      ...(Object.keys(aliases).length > 0 && { gateway: { aliases } }),
      ...(limits && { limits }),
      // Clients of LiteLLM reach the models of its config, and no other models of the vendors.
      ...(models.length > 0 && { tenants: { '*': { models: { allow: models } } } }),
    },
    functions: [],
    findings: report.findings(),
  };
}
