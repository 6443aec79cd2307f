import { createClient, PatchbayError } from '@patchbay/client';

export interface Thrown {
  readonly name: string;
  readonly message: string;
  /** It sends the request again by itself. */
  readonly isRetried: boolean;
}

/** The error that the client library throws for a response; a real client, whose network is a function. */
export async function thrownByClient(problem: object, retryAfter: number | undefined): Promise<Thrown> {
  const { status } = problem as { readonly status: number };
  let asked = 0;
  const client = createClient({
    baseUrl: 'http://patchbay.example',
    apiKey: 'key',
    maxRetries: 0,
    fetch: async () => {
      asked += 1;
      const headers = {
        'content-type': 'application/problem+json',
        ...(retryAfter && { 'retry-after': `${retryAfter}` }),
      };
      return new Response(JSON.stringify(problem), { status, headers });
    },
  });
  const error: unknown = await client.models.list().catch((thrown: unknown) => thrown);
  if (!(error instanceof PatchbayError) || asked !== 1) throw new Error(`the client threw ${String(error)}`);
  // A delay of more than a minute is reported at once instead of being waited for.
  const isRetried = (problem as { readonly retryable: boolean }).retryable && (retryAfter ?? 0) <= 60;
  return { name: error.name, message: error.message, isRetried };
}
