import type { Field } from './field.ts';
import type { RequestFault } from './request-error.ts';

/** Reads a member, and throws if it is malformed. */
export type Check = (field: Field) => unknown;

/** A member that is refused if it requests something. */
export interface Refusal {
  /** Whether a value requests nothing. */
  readonly isIdle: (field: Field) => boolean;
  readonly code: RequestFault;
  readonly detail: string;
}

export const parameter = (detail: string, isIdle: Refusal['isIdle'] = () => false): Refusal => ({
  isIdle,
  code: 'unsupported_parameter',
  detail,
});
export const value = (detail: string, isIdle: Refusal['isIdle']): Refusal => ({
  isIdle,
  code: 'unsupported_value',
  detail,
});

/** @throws PatchbayError for the first member that requests something. */
export function refuseMembers(body: Field, rules: Readonly<Record<string, Refusal>>): void {
  for (const [name, { isIdle, code, detail }] of Object.entries(rules)) {
    const field = body.member(name);
    if (field.isGiven && !isIdle(field)) field.fail(code, detail);
  }
}

/** @throws PatchbayError for a malformed member. */
export function checkMembers(body: Field, checks: Readonly<Record<string, Check>>): void {
  for (const [name, check] of Object.entries(checks)) body.member(name).maybe(check);
}
