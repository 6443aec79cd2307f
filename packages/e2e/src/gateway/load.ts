import type { GatewayAnswer, TestGateway } from './start-gateway.ts';

/** Requests that are sent over and over, so many at a time, until it is stopped. */
export interface Load {
  readonly answered: number;
  /** Resolves with what was not answered by 200. */
  stop(): Promise<readonly string[]>;
}

export function startLoad(gateway: TestGateway, path: string, body: object, atATime: number): Load {
  const failures: string[] = [];
  let answered = 0;
  let stopped = false;
  const describe = ({ status, text }: GatewayAnswer): string => `${status} ${text}`;

  const send = async (): Promise<void> => {
    while (!stopped) {
      const failure = await gateway.post(path, body).then(
        (answer) => (answer.status === 200 ? undefined : describe(answer)),
        (error: unknown) => String(error),
      );
      answered += 1;
      if (failure !== undefined) failures.push(failure);
    }
  };
  const sending = Array.from({ length: atATime }, send);

  return {
    get answered() {
      return answered;
    },
    async stop() {
      stopped = true;
      await Promise.all(sending);
      return failures;
    },
  };
}
