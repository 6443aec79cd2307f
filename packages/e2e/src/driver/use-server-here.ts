import { afterAll, beforeAll, expect } from 'vitest';
import { type ServerHere, type StartHereOptions, startServerHere } from './server-here.ts';
import { type Answer, ask, type TemporaryData, temporaryData } from './server-process.ts';

/** One server, in the process of the tests, for the tests of a file. It has to end in order, with no error in its log. */
export interface ServerHereInUse {
  /** Which it is; its address is known once it has started. */
  readonly running: ServerHere;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export function useServerHere(options?: StartHereOptions): ServerHereInUse {
  let data: TemporaryData | undefined;
  let server: ServerHere | undefined;
  const started = (): ServerHere => {
    if (server === undefined) throw new Error('the server has not been started');
    return server;
  };
  beforeAll(async () => {
    data = await temporaryData();
    server = await startServerHere(data.path, options);
  });
  afterAll(async () => {
    const ended = await server?.end();
    await data?.remove();
    expect(ended).toEqual({ code: 0 });
    expect(server?.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
  return {
    get running() {
      return started();
    },
    ask: (...request) => ask(started(), ...request),
  };
}
