import { join, relative } from 'node:path';
import { type App, PatchbayError } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import type { OperationCall, OperationId, OperationMiddleware } from '@patchbay/http';
import { loggedLines, stackLines, type ToldExecution } from '../cli/functions/describe-execution.ts';
import { codeFileOf, readLocalFunction } from '../cli/functions/local-function.ts';
import { pusherId } from './development-authenticator.ts';
import { listFolders } from './function-folders.ts';

interface ReporterParts {
  readonly services: Pick<App['services'], 'executions' | 'functions'>;
  readonly logger: Logger;
  /** Folder with a folder for each function. */
  readonly root: string;
  readonly cwd: string;
}

const reported: ReadonlySet<string> = new Set<OperationId>(['executeFunction', 'callFunctionByName']);

/** Shows a developer what the code of functions logs, and why it fails, with places in their own files. */
export function reportExecutions({ services, logger, root, cwd }: ReporterParts): OperationMiddleware {
  const nameOf = async ({ request }: OperationCall): Promise<string> => {
    const { name, id = '' } = request.params as { readonly name?: string; readonly id?: string };
    if (name !== undefined) return name;
    return (await services.functions.get(id, request.context)).name;
  };

  const tellLogs = (name: string, execution: ToldExecution): void => {
    for (const { level, message } of loggedLines(execution)) {
      logger[level === 'warn' || level === 'error' ? level : 'info'](`${name}: ${message}`, { function: name });
    }
  };

  const tellFailure = async (name: string, { code, message, extensions }: PatchbayError): Promise<void> => {
    const execution = Object(extensions['execution']) as ToldExecution;
    tellLogs(name, execution);
    const problems = stackLines(execution, await codeFileOfName(root, cwd, name));
    logger.error(`${name} failed: ${code}: ${message}`, { function: name, problems });
  };

  const tellCompleted = async (call: OperationCall, json: unknown): Promise<void> => {
    const { executionId, logs } = Object(json) as { readonly executionId?: unknown; readonly logs?: unknown };
    if (typeof executionId === 'string') {
      const row = await services.executions.get(executionId, call.request.context);
      if (row.logs.length > 0) tellLogs(await nameOf(call), row);
    } else if (Array.isArray(logs) && logs.length > 0) tellLogs(await nameOf(call), { logs });
  };

  return async (call, next) => {
    const { operation, request } = call;
    if (!reported.has(operation.id) || request.context.caller.id === pusherId) return await next();
    try {
      const reply = await next();
      if ('json' in reply) await tellCompleted(call, reply.json).catch(() => {});
      return reply;
    } catch (error) {
      if (PatchbayError.is(error) && error.extensions['execution'] !== undefined) {
        await nameOf(call).then(
          (name) => tellFailure(name, error),
          () => {},
        );
      }
      throw error;
    }
  };
}

/** The file with the code of the function that has this name, or this key. */
async function codeFileOfName(root: string, cwd: string, name: string): Promise<string | undefined> {
  for (const key of await listFolders(root)) {
    const local = await readLocalFunction(join(root, key)).catch(() => undefined);
    if (local === undefined || (local.body.name !== name && key !== name)) continue;
    return relative(cwd, join(root, key, await codeFileOf(join(root, key))));
  }
  return undefined;
}
