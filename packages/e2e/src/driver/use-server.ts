import { afterAll, beforeAll, expect } from 'vitest';
import {
  type Answer,
  ask,
  type ServerProcess,
  type StartOptions,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from './server-process.ts';

/** One server for the tests of a file. It has to end in order, with no error in its log. */
export interface ServerInUse {
  readonly process: ServerProcess;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export function useServer(options?: StartOptions): ServerInUse {
  let data: TemporaryData | undefined;
  let server: ServerProcess | undefined;
  const started = (): ServerProcess => {
    if (server === undefined) throw new Error('the server has not been started');
    return server;
  };
  beforeAll(async () => {
    data = await temporaryData();
    server = await startServerProcess(data.path, options);
  });
  afterAll(async () => {
    const ended = await server?.end('SIGTERM');
    await data?.remove();
    expect(ended).toEqual({ code: 0 });
    expect(server?.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
  return {
    get process() {
      return started();
    },
    ask: (...request) => ask(started(), ...request),
  };
}
