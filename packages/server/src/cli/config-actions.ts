import { configJsonSchema, printConfig } from '@patchbay/core';
import { loadServerConfig } from '../load-server-config.ts';
import { logFormat } from '../log-format.ts';
import { createLogger } from '../logger.ts';
import { serverConfigSchema } from '../server-config.ts';
import { workerConfigSchema } from '../worker/worker-config.ts';
import type { CliContext } from './cli-context.ts';
import { configPage } from './config-page.ts';
import { exitCodes } from './exit-codes.ts';
import { pluginsOf } from './plugins-of.ts';

interface ConfigOptions {
  readonly config: string | undefined;
  readonly json: boolean;
}

type ConfigAction = (context: CliContext, options: ConfigOptions) => Promise<number>;

const STANDARD_ERROR = 2;
const sections = { server: serverConfigSchema, worker: workerConfigSchema };

export async function loadFor({ cwd, env }: CliContext, config: string | undefined) {
  const logger = createLogger(STANDARD_ERROR, logFormat(process.stderr, { env }));
  logger.setLevel('error');
  return await loadServerConfig({ file: config, cwd, env, logger });
}

const print: ConfigAction = async (context, { config, json }) => {
  const { entries, file } = await loadFor(context, config);
  if (json) for (const entry of entries) context.output.result(JSON.stringify(entry));
  else context.output.result((await printConfig({ entries })).trimEnd());
  context.output.note(`from ${file ?? 'the built-in defaults'}`);
  return exitCodes.ok;
};

const validate: ConfigAction = async (context, { config, json }) => {
  const { file } = await loadFor(context, config);
  if (json) context.output.result(JSON.stringify({ file: file ?? null, valid: true }));
  context.output.note(`${file ?? 'the built-in defaults'}: nothing is wrong`);
  return exitCodes.ok;
};

const schema: ConfigAction = async (context, { config, json }) => {
  const document = configJsonSchema(sections, await pluginsOf(await loadFor(context, config)));
  context.output.result(JSON.stringify(document, undefined, json ? undefined : 2));
  return exitCodes.ok;
};

const docs: ConfigAction = async (context, { config, json }) => {
  const page = configPage(configJsonSchema(sections, []), await pluginsOf(await loadFor(context, config)));
  if (json) for (const row of page.rows) context.output.result(JSON.stringify(row));
  else context.output.result(page.text);
  return exitCodes.ok;
};

export const configActions = { print, validate, docs, schema } as const satisfies Readonly<
  Record<string, ConfigAction>
>;
