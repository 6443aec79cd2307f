/**
 * The entry for readers of results: which error code each reason of a failed execution has. It imports nothing else.
 *
 * @module
 */
export { failureCodes } from '@patchbay/contracts/failure-codes';
