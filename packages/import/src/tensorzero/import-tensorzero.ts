import type { Imported, ImportedConfig } from '../imported.ts';
import { createProviderMounts } from '../provider-mounts.ts';
import { createReport, type Report } from '../report.ts';
import { createSource, type Source } from '../source/source.ts';
import { readFolder } from './read-folder.ts';
import { createInclude, readFunctions } from './read-functions.ts';
import { readLimits } from './read-limits.ts';
import { readMetrics } from './read-metrics.ts';
import { readModels } from './read-models.ts';
import reasons from './reasons.json' with { type: 'json' };
import { createReadSourceFile } from './source-files.ts';

/**
 * Read a configuration of the TensorZero gateway, and convert it to what a config and functions of Patchbay can express.
 *
 * @param path Its folder, in which all TOML files are read, or one file. Relative to `folder`; positions use it.
 * @throws Error named `UsageError`, with the position, if a file is not such a configuration.
 *
 * @example
 * ```ts
 * import { importTensorzero } from '@patchbay/import';
 *
 * const { functions, findings } = await importTensorzero('config', '/etc/tensorzero');
 * console.log(functions.map(({ name }) => name), findings.filter(({ outcome }) => outcome !== 'mapped'));
 * ```
 */
export async function importTensorzero(path: string, folder: string): Promise<Imported> {
  const root = createSource(await readFolder(path, folder));
  const report = createReport();
  const mounts = createProviderMounts();
  const models = readModels(root, mounts, report);
  const includes = root.member('gateway')?.member('template_filesystem_access')?.member('base_path');
  const read = createReadSourceFile(folder);
  const metrics = readMetrics(root, report);
  const include = createInclude(includes, folder);
  const functions = await readFunctions(root, { models, metrics: Object.keys(metrics), report, read, include });
  const limits = readLimits(root, report);
  const server = readServer(root.member('gateway'), report);
  report.rest(root, reasons);
  return {
    config: {
      ...(server && { server }),
      providers: mounts.all(),
      ...(Object.keys(models.aliases).length > 0 && { gateway: { aliases: models.aliases } }),
      ...(Object.keys(metrics).length > 0 && { functions: { settings: { '*': { metrics } } } }),
      ...(limits && { limits }),
    },
    functions,
    findings: report.findings(),
  };
}

function readServer(gateway: Source | undefined, report: Report): ImportedConfig['server'] {
  const address = gateway?.member('bind_address');
  const [, host = '', port] = /^(?:\[(?=.*\]))?(.*?)\]?:(\d+)$/.exec(gateway?.text('bind_address') ?? '') ?? [];
  if (address === undefined || port === undefined) return undefined;
  report.mapped(address, 'server.host and server.port');
  return { host, port: Number(port) };
}
