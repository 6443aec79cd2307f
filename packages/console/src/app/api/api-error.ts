/** The fault of one value of a request. */
export interface FieldFault {
  /** JSON pointer into the body, or `?name` for the query. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  /** Position in a text, such as code. Both begin at 1. */
  readonly line?: number;
  readonly column?: number;
}

/** A failure as the server describes it: a problem document. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly faults: readonly FieldFault[];

  constructor(problem: Problem, status: number) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? 'unexpected_response';
    this.requestId = problem.requestId;
    this.faults = problem.errors ?? [];
  }
}

export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldFault[];
}

/** An error in the format of OpenAI. */
interface CompatibleError {
  readonly error?: { readonly message: string; readonly code: string };
}

/** The server could not be reached. */
export class ConnectionLost extends Error {
  readonly code = 'connection_lost';

  constructor() {
    super('the server cannot be reached');
    this.name = 'ConnectionLost';
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const isProblem = response.headers.get('content-type')?.includes('json') === true;
  const body = isProblem ? ((await response.json()) as Problem & CompatibleError) : {};
  const problem = body.error ? { detail: body.error.message, code: body.error.code } : body;
  const requestId = problem.requestId ?? response.headers.get('request-id') ?? undefined;
  return new ApiError({ ...problem, ...(requestId !== undefined && { requestId }) }, response.status);
}
