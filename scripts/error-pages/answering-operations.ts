import type { ErrorCode } from '@patchbay/core';
import { type Operation, operations } from '@patchbay/http';
import { errorsByStatus } from '../../packages/http/src/reference/openapi.ts';

type Filter = (operation: Operation) => boolean;

const isProtected: Filter = ({ scope }) => scope !== 'public';
const kinds: readonly (readonly [string, Filter])[] = [
  ['Every endpoint.', () => true],
  ['Every endpoint that asks for credentials.', isProtected],
  ['Every endpoint with a body.', (operation) => isProtected(operation) && 'body' in operation],
  ['Every POST that asks for credentials.', (operation) => isProtected(operation) && operation.method === 'POST'],
  ['Everything but GET.', (operation) => isProtected(operation) && operation.method !== 'GET'],
];

/** Which endpoints can answer with a code, as the OpenAPI document has it, in words or as a list in Markdown. */
export function answeringOperations(code: ErrorCode): string | undefined {
  const answering = operations.filter((operation) => [...errorsByStatus(operation).values()].flat().includes(code));
  if (answering.length === 0) return undefined;
  const kind = kinds.find(([, filter]) =>
    operations.every((operation) => filter(operation) === answering.includes(operation)),
  );
  if (kind) return kind[0];
  return answering.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${lowered(summary)}`).join('\n');
}

function lowered(summary: string): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}
