/** What is stored as a function. */
export interface FunctionBody {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input object. */
  readonly input: object;
  /** JSON Schema of the output object. */
  readonly output: object;
  /** JavaScript or TypeScript. Left out where `settings` say how a model does it. */
  readonly code?: string;
  /** What the function asks of models: `model`, `system`, `prompt`, `temperature` and so on; an extension. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface FunctionSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredFunction extends FunctionSummary {
  readonly input: object;
  readonly output: object;
  readonly code: string;
}

export interface ListQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
}

export interface FunctionPage {
  readonly data: readonly FunctionSummary[];
  readonly meta: { readonly total: number; readonly limit: number; readonly offset: number };
}

export interface Execution {
  readonly id: string;
  readonly functionId: string;
  readonly status: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly completedAt: string;
}
