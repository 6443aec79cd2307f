import { type Operation, operations } from '@patchbay/http';
import type { Runner } from '@patchbay/testing';

/** The example of an operation in the OpenAPI document. */
export interface OperationExample {
  /** The JSON body of the request. */
  readonly request?: object;
  readonly response?: unknown;
  /** The text of the response to a request for server-sent events. */
  readonly stream?: string;
  /** Fields that the example leaves out. */
  readonly note?: string;
  /** Refusals: one problem document for each code. */
  readonly problems?: readonly Problem[];
  /** Refusals in the format of another API: one for each name. */
  readonly refusals?: readonly Refusal[];
}

interface Problem {
  readonly code: string;
}

interface Refusal {
  readonly status: number;
  readonly name: string;
  readonly body: object;
}

/** Records what tests of the contract of the API send and receive. */
export interface ExampleRecorder {
  /** Runs tests whose titles begin with the id of the operation that they are about. */
  runner(runner: Runner): Runner;
  /**
   * Sends a request, and records it where it is one of the operation that the running test is about.
   *
   * @param send Default: over the network.
   */
  readonly fetch: (request: Request, send?: (request: Request) => Promise<Response>) => Promise<Response>;
  /** The operations that a test is about. */
  readonly tested: ReadonlySet<string>;
  /** The last success and the refusals of each operation, with what differs in each run made the same. */
  examples(): Readonly<Record<string, OperationExample>>;
}

export function createExampleRecorder(): ExampleRecorder {
  const tested = new Set<string>();
  const recorded = new Map<string, OperationExample>();
  let current: Operation | undefined;
  return {
    tested,
    runner: (runner) => ({
      describe: (name, body) => runner.describe(name, body),
      it(title, body) {
        const operation = operations.find(({ id }) => title.startsWith(`${id} `));
        if (operation === undefined) throw new Error(`the title begins with no operation: ${title}`);
        tested.add(operation.id);
        return runner.it(title, async () => {
          current = operation;
          await body();
        });
      },
    }),
    async fetch(request, send = fetch) {
      const sent = request.clone();
      const response = await send(request);
      if (current && isOf(current, sent)) {
        const { id } = current;
        const before = recorded.get(id) ?? {};
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
        if (isStream)
          void recordStream(response.clone(), (stream) => recorded.set(id, { ...recorded.get(id), stream }));
        else recorded.set(id, { ...before, ...(await parts(before, current, sent, response.clone())) });
      }
      return response;
    },
    examples: () => Object.fromEntries(operations.map(({ id }) => [id, comparable(shown(id, recorded.get(id) ?? {}))])),
  };
}

function isOf({ method, path }: Operation, request: Request): boolean {
  const pattern = path.replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+');
  return method === request.method && new RegExp(`^${pattern}$`).test(new URL(request.url).pathname);
}

/** As far as a test reads it. */
async function recordStream({ body }: Response, record: (text: string) => void): Promise<void> {
  let text = '';
  try {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      record(text);
    }
  } catch {
    // The test has read enough.
  }
}

/** Adds a request and its response to the example of their operation. */
async function parts(
  { problems = [], refusals = [] }: OperationExample,
  operation: Operation,
  request: Request,
  response: Response,
): Promise<Partial<OperationExample>> {
  const { success } = operation;
  const type = response.headers.get('content-type') ?? '';
  const media = [type, request.headers.get('content-type') ?? ''];
  // The same in another form.
  if (media.some((each) => each.startsWith('application/jsonl'))) return {};
  const text = await response.text();
  if (type.startsWith('application/problem+json')) {
    const problem = JSON.parse(text) as Problem;
    return { problems: [...problems.filter(({ code }) => code !== problem.code), problem] };
  }
  if (response.status !== success.status) {
    if (!('formats' in operation)) return {};
    const body = JSON.parse(text) as { readonly error: NamedError };
    const refusal = { status: response.status, name: nameOf(body.error), body };
    return { refusals: [...refusals.filter(({ name }) => name !== refusal.name), refusal] };
  }
  const sent = await request.text();
  return {
    ...(sent !== '' && { request: JSON.parse(sent) as object }),
    response: type.startsWith('application/json') ? JSON.parse(text) : text,
  };
}

/** In the formats of OpenAI, Anthropic and JSON-RPC, whose own code is a number. */
interface NamedError {
  readonly type: string;
  readonly code?: string | number;
  readonly data?: Problem;
}

function nameOf({ type, code, data }: NamedError): string {
  return data?.code ?? (typeof code === 'string' ? code : type);
}

function shown(id: string, example: OperationExample): OperationExample {
  const { request, response, stream, note, problems, refusals } = { ...example, ...excerpts[id]?.(example.response) };
  // In this order, and `JSON.stringify` leaves out what there is not.
  return { request, response, stream, note, problems, refusals } as OperationExample;
}

/** Limits of the examples of long responses. */
const excerpts: Readonly<Record<string, (response: unknown) => Pick<OperationExample, 'response' | 'note'>>> = {
  embed(response) {
    const whole = response as { readonly embedding: readonly number[] };
    const embedding = whole.embedding.filter(Boolean).slice(0, 6);
    return { response: { ...whole, embedding }, note: `6 of the ${whole.embedding.length} numbers.` };
  },
  createEmbeddings(response) {
    const list = response as { readonly data: readonly { readonly embedding: readonly number[] }[] };
    const data = list.data.map((each) => ({ ...each, embedding: each.embedding.filter(Boolean).slice(0, 6) }));
    return { response: { ...list, data }, note: `6 of the ${list.data[0]?.embedding.length} numbers.` };
  },
  explainModels(response) {
    const { data } = response as { readonly data: readonly { readonly score?: number; readonly reason?: string }[] };
    // How fast the model was decides on both.
    const steady = data.map(({ score, reason, ...row }) => {
      if (score === undefined || reason === undefined) return row;
      return { ...row, score: 0.01, reason: reason.replace(/about [\d.,]+ m?s for \d+/, 'about 12 ms for 6') };
    });
    return { response: { data: steady } };
  },
  rollBackExperiment(response) {
    const ended = response as { readonly variants: readonly object[] };
    // Chance decides how many scores each has, and which one wins.
    return { response: { ...ended, variants: ended.variants.map((each) => ({ ...each, scores: 6 })), winner: 1 } };
  },
  listScheduledExecutions(response) {
    const { data, ...rest } = response as { readonly data: readonly object[] };
    // It is read while the execution begins, or has ended.
    const waiting = data.map((row) => ({ ...row, status: 'queued', completedAt: undefined, durationMs: undefined }));
    return { response: { data: waiting, ...rest } };
  },
  readOverview(response) {
    const { data, ...rest } = response as { readonly data: readonly object[] };
    // Of all tests before, which differ in how long they took.
    const durations = { p50: 310, p95: 1_240, p99: 2_980 };
    const counts = { calls: 42, repaired: 1, failed: 2, cancelled: 0, cached: 3 };
    const [first = {}] = data.map((period) => ({ ...period, ...counts, durationMs: durations }));
    const { start: _, ...total } = first as { readonly start?: string };
    return { response: { data: [first], ...rest, total } };
  },
  getOpenApi(response) {
    const { openapi, info } = response as { readonly openapi: string; readonly info: object };
    return { response: { openapi, info, paths: {} }, note: 'Without paths, webhooks and components.' };
  },
  readMetrics(response) {
    const lines = (response as string).split('\n').filter((line) => line.includes('patchbay_model_tokens'));
    const values = lines.slice(0, 3).map((line) => line.replace(/ [\d.]+$/, ' 311'));
    return { response: values.join('\n'), note: 'One of the metrics.' };
  },
  getDocs(response) {
    return { response: (response as string).split('\n').slice(0, 6).join('\n'), note: 'The first lines of the page.' };
  },
  getDocsFile(response) {
    return { response: (response as string).slice(0, 6), note: 'The first characters of the style.' };
  },
};

const id = '01m7yxk8zbevcsetqktderpyf0';
const webhookSecret = Buffer.from('an example of a webhook secret').toString('base64');

/** The example with ids, times, durations, hashes, secrets and ports replaced. */
function comparable(example: OperationExample): OperationExample {
  const text = JSON.stringify(example)
    .replaceAll(/pbk_([a-z]+)_\w+/g, `pbk_$1_${id}_exampleOfASecretThatIsShownOnce`)
    .replaceAll(/whsec_[\w+/=]+/g, `whsec_${webhookSecret}`)
    .replaceAll(/_[0-9a-z]{26}(?![0-9a-z])/g, `_${id}`)
    .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-11-21T09:30:00.000Z')
    .replaceAll(/(\w+Ms)(\\?":)[\d.]+/g, '$1$212')
    .replaceAll(/((?:created|created_at|completed_at)\\?":)\d+/g, '$11795339800')
    .replaceAll(/id: [\w-]{40,}\.[\w-]+/g, 'id: WyIyMDI2LTExLTIxVDA5OjMwIl0.5n8bX1tVQz')
    .replaceAll(/"[0-9a-f]{64}"/g, `"${'5e'.repeat(32)}"`)
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://acme.example');
  return JSON.parse(text) as OperationExample;
}
