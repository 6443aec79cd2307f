import type { IncomingRequest } from '../incoming-request.ts';

/** Tells what was cut off the front of the path of a request: what the host was configured with, or else saw happen. */
export function createMountPath(configured: string | undefined): (request: IncomingRequest) => string {
  if (configured === undefined) return ({ mountPath }) => mountPath;
  if (!/^(?:\/[\w.~-]+)*$/.test(configured)) {
    throw new TypeError(`mountPath must be empty or like /patchbay, without a slash at the end, and not ${configured}`);
  }
  return () => configured;
}
