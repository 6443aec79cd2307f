import { definedMembers } from '@patchbay/core/provider';
import type { ModelChoice } from '../gateway-types.ts';
import type { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';

/** The model that a request names, and how to choose it. */
export function readChoice(body: Field): ModelChoice {
  const model = body.member('model').name();
  return { model, ...definedMembers({ routing: body.member('routing').maybe((field) => readRouting(field.as())) }) };
}
