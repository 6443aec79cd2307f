import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { searchFolder, searchLogEntry } from '@patchbay/canaries';
import { type ConfigReloader, runCli } from '@patchbay/server/fixtures/run-cli';
import { type LogEntry, ServerLog } from './server-log.ts';
import { environmentOf, prepareData, type StartOptions } from './server-process.ts';

/** A server in the process of the test. */
export interface ServerHere {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  /** Entries of its log so far. */
  readonly log: readonly LogEntry[];
  /** The first entry with this message, or the one of that number, once it is there. */
  logged(message: string, number?: number): Promise<LogEntry>;
  /** Read the config file again, as at SIGHUP. @param config Its new text. Default: as it is. */
  reload(config?: string): Promise<void>;
  /** Stop it in order, as at SIGTERM. The code that its process would end with. */
  end(): Promise<{ readonly code: number }>;
}

export interface StartHereOptions extends Omit<StartOptions, 'nodeArguments'> {
  /** Whether the sockets of its sandboxes are in its folder, by which tests find them. No other server may start meanwhile. */
  readonly hasSandboxes?: boolean;
}

/**
 * Start the reference server by its command, without the process of its own that most of the time of a start goes into:
 * for tests of what it answers. What ends, watches or measures a process needs `startServerProcess`.
 */
export async function startServerHere(
  data: string,
  { config, env, arguments: given = [], readyMessage = 'listening', hasSandboxes = false }: StartHereOptions = {},
): Promise<ServerHere> {
  await prepareData(data, config);
  const environment = { ...environmentOf(data), ...env };
  const stop = new AbortController();
  const serving = Promise.withResolvers<ConfigReloader>();
  const over = Promise.withResolvers<never>();
  const log = new ServerLog(over.promise);
  const serve = async () => {
    const surroundings = {
      cwd: data,
      env: environment,
      onLine(line: string) {
        log.add(line);
        searchLogEntry(line);
      },
      async whileServing(_: string, reloader: ConfigReloader) {
        serving.resolve(reloader);
        if (!stop.signal.aborted) await once(stop.signal, 'abort');
      },
    };
    const { code, stderr } = await runCli(surroundings, ...given);
    over.reject(new Error(`the server ended with ${code}: ${stderr}`));
    searchFolder(data);
    return { code };
  };
  const ended = serve();
  ended.catch(over.reject);
  const withKey = <R>(work: () => Promise<R>): Promise<R> =>
    withVariable('PATCHBAY_BOOTSTRAP_KEY', environment['PATCHBAY_BOOTSTRAP_KEY'], () =>
      hasSandboxes ? withVariable('TMPDIR', data, work) : work(),
    );
  const reloader = await withKey(() => Promise.race([serving.promise, over.promise]));
  const url = String((await log.logged(readyMessage))['url']);
  return {
    url,
    port: Number(new URL(url).port),
    data,
    log: log.entries,
    logged: (message, number) => log.logged(message, number),
    async reload(text) {
      if (text !== undefined) await writeFile(join(data, 'patchbay.config.yaml'), text);
      await withKey(() => reloader.reload());
    },
    async end() {
      stop.abort();
      return await ended;
    },
  };
}

/** With a variable that is read from the environment of the process. */
async function withVariable<R>(name: string, value: string | undefined, work: () => Promise<R>): Promise<R> {
  const before = process.env[name];
  process.env[name] = value ?? '';
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}
