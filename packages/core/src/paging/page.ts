import type { SortField } from '../contracts/rows.ts';

/** What a list request asks for, with defaults applied and within the documented bounds. */
export interface PageRequest<S extends string = SortField<'functions'>> {
  readonly limit: number;
  readonly offset: number;
  readonly sort: S;
  readonly order: 'asc' | 'desc';
  /** Opaque place to continue from; not together with an offset. */
  readonly cursor?: string;
}

/** A page, with the cursor of the next one where there is more. */
export interface PageResult<R> {
  readonly rows: readonly R[];
  readonly total: number;
  readonly nextCursor?: string;
}
