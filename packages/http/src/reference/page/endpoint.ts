import type { OpenApiDocument, OpenApiOperation } from '../openapi.ts';

/** An operation with its place in the OpenAPI document. */
export interface Endpoint {
  readonly method: string;
  /** With the path at which the host serves the API, and `{name}` for parameters. */
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function endpointsOf({ paths, servers }: OpenApiDocument): readonly Endpoint[] {
  const mountPath = servers?.[0]?.url ?? '';
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: mountPath + path,
      method: method.toUpperCase(),
      operation,
    })),
  );
}

/** The example of a request body, if the operation has one. */
export function bodyExample({ requestBody }: OpenApiOperation): unknown {
  return requestBody?.content['application/json']?.examples?.['example']?.value;
}

/** A value of an example or a default, as one would type it. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
