import type { ExampleServer } from '../example-server.ts';

/** The id of the only running execution, once there is one. */
export async function whenRunning(server: ExampleServer): Promise<string> {
  for (;;) {
    const { data } = await server.done('GET', '/executions?status=running');
    const [running] = data as readonly { readonly id: string }[];
    if (running) return running.id;
  }
}
