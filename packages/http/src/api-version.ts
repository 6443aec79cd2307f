/** Sent as `Patchbay-Version`: the day of the last change of the API that clients can see. Changes only ever add. */
export const apiVersion = '2026-11-21';
