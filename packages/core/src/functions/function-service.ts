import type { RequestContext } from '../contracts/context.ts';
import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { FunctionRow, FunctionVersionRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';
import type { PageRequest, PageResult } from '../paging/list-page.ts';

/** Keeps functions and their history. Every method sees the caller's tenant only: what is another's is not found. */
export interface FunctionService {
  /**
   * @param along Further writes of the same commit.
   * @throws PatchbayError `schema_invalid`, `code_invalid`; `conflict` where one of the further writes cannot be done.
   */
  create(input: FunctionInput, context: RequestContext, along?: readonly Write[]): Promise<FunctionRow>;
  /** @throws PatchbayError `function_not_found`. */
  get(id: string, context: RequestContext): Promise<FunctionRow>;
  list(page: PageRequest, context: RequestContext): Promise<PageResult<FunctionSummary>>;
  /** @throws PatchbayError `function_not_found`, `schema_invalid`, `code_invalid`, `precondition_failed`. */
  replace(id: string, input: FunctionInput, context: RequestContext, ifRevision?: number): Promise<FunctionRow>;
  /** @throws PatchbayError `function_not_found`, `precondition_failed`. */
  delete(id: string, context: RequestContext, ifRevision?: number): Promise<void>;
  /** Newest first unless asked otherwise. @throws PatchbayError `function_not_found`. */
  listVersions(
    id: string,
    page: PageRequest<'version'>,
    context: RequestContext,
  ): Promise<PageResult<Omit<FunctionVersionRow, 'input' | 'output' | 'code'>>>;
  /** @throws PatchbayError `function_not_found`, `version_not_found`. */
  getVersion(id: string, version: number, context: RequestContext): Promise<FunctionVersionRow>;
  /** Make an old version the newest again, as a new version. @throws PatchbayError as `getVersion` and `replace`. */
  restore(id: string, version: number, context: RequestContext, ifRevision?: number): Promise<FunctionRow>;
}

/** What a caller writes: the body of create and replace, of the documented shape but with unchecked schemas and code. */
export interface FunctionInput {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  /** Empty for a function that a model implements, by its settings. */
  readonly code: string;
  /** Written as a new version of the function's settings, in the same commit. */
  readonly settings?: FunctionSettings;
}

/** The five fields of a list entry. */
type FunctionSummary = Pick<FunctionRow, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;
