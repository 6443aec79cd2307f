/** Any value that JSON can express. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys keep the order in which they were written. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
