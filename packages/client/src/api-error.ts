import { PatchbayError } from './errors.ts';

/** One fault of a request, as in a problem document. */
export interface Fault {
  /** JSON Pointer (RFC 6901) into the body. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A problem document (RFC 9457); other services may leave anything out. */
export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly Fault[];
  readonly [member: string]: unknown;
}

/** The service answered that it did not do it. `code` says why; `status` is that of HTTP. */
export class APIError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.APIError';
  readonly status: number;
  /** Stable name of the kind of failure, such as `input_invalid`; absent where the answer has none. */
  readonly code: string | undefined;
  /** What exactly is wrong with the request, where that is it. */
  readonly errors: readonly Fault[];
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds after which it makes sense to ask again. */
  readonly retryAfter: number | undefined;
  /** The whole answer. */
  readonly problem: Problem;

  constructor(status: number, problem: Problem, headers?: Headers) {
    const { code, errors = [], detail = problem.title } = problem;
    super(
      [status, code, detail, ...errors.map((fault) => `${fault.pointer} ${fault.detail}`)].filter(Boolean).join(', '),
    );
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = headers?.get('request-id') ?? undefined;
    // The other form, a date, is for servers whose clock can be trusted to be ours.
    this.retryAfter = Number(headers?.get('retry-after')) || undefined;
    this.problem = problem;
  }
}

/** The code of a stored function failed, ran too long, or made something else than its output. */
export class ExecutionError extends APIError {
  static override readonly kind: string = 'PatchbayError.APIError.ExecutionError';
  /** What ran: `id`, `status`, and where the service tells them `error` and `logs`. */
  get execution(): Readonly<Record<string, unknown>> {
    return this.problem['execution'] as Readonly<Record<string, unknown>>;
  }
}

/** The error that an answer stands for. */
export function errorOf(status: number, body: unknown, headers: Headers): APIError {
  const problem = ((typeof body === 'object' && body) || {}) as Problem;
  return new ('execution' in problem ? ExecutionError : APIError)(status, problem, headers);
}
