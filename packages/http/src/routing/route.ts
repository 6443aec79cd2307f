import type { BodyValidator } from '../input/body-validator.ts';
import { createQueryReader, type QueryReader } from '../input/query.ts';
import type { Area, BodyRule, Operation, ProtectedOperation } from '../operation.ts';

/** Where the areas are: one path for all of them, or one for each; default: the root. No slash at the end. */
export type BasePath = string | { readonly [A in Area]?: string };

/** A row of the table, put in its place, with everything that is prepared once. */
export interface Route {
  readonly operation: Operation;
  readonly basePath: string;
  /** `basePath` and the path of the row. */
  readonly path: string;
  readonly readQuery: QueryReader | undefined;
  readonly validateBody: BodyValidator | undefined;
}

export function createRoutes(
  operations: readonly Operation[],
  basePath: BasePath,
  validatorFor: (rule: BodyRule<unknown>) => BodyValidator,
): readonly Route[] {
  return operations.map((operation) => {
    const base = basePathOf(basePath, operation.area);
    const { query, body } = isProtected(operation) ? operation : ({} as Partial<ProtectedOperation>);
    return {
      operation,
      basePath: base,
      path: base + operation.path,
      readQuery: isProtected(operation) ? createQueryReader(query ?? {}) : undefined,
      validateBody: body && validatorFor(body),
    };
  });
}

export function isProtected(operation: Operation): operation is ProtectedOperation {
  return operation.scope !== 'public';
}

function basePathOf(basePath: BasePath, area: Area): string {
  const path = typeof basePath === 'string' ? basePath : (basePath[area] ?? '');
  if (!/^(?:\/[\w.~-]+)*$/.test(path)) {
    throw new TypeError(`basePath must be empty or like /api/v1, without a slash at the end, and not ${path}`);
  }
  return path;
}
