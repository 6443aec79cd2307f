import type { ContentLevel } from '@patchbay/contracts/content';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { SecretPlace } from '../secrets/secret-box.ts';

/** An output that did not match its schema, so that the model was asked again. */
export interface RejectedOutput {
  /** `<provider>/<model_name>`. */
  readonly model: string;
  readonly output: JsonValue;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}

/** The content of a call. Its members are not copied until some of it is stored. */
export interface GivenContent {
  readonly request: object;
  /** Absent where there is none. */
  readonly response?: object | undefined;
  readonly repairs?: readonly RejectedOutput[];
  /** For a response of which only the beginning is known. */
  readonly responseBytes?: number | undefined;
}

/** Facts about a content without its text. */
export interface ContentSummary {
  /** Bytes of JSON, about. */
  readonly requestBytes: number;
  readonly responseBytes: number | null;
  readonly messages: number;
  /** Messages by role. */
  readonly roles: Readonly<Record<string, number>>;
  /** Names of the tools of the request. */
  readonly tools: readonly string[];
  /** Names of those that the model called. */
  readonly toolCalls: readonly string[];
  readonly finishReason: string | null;
  /** Outputs that did not match, with the validation errors. */
  readonly repairs: readonly (Omit<RejectedOutput, 'output'> & { readonly bytes: number })[];
}

/** Where a stored content differs from that of the call, by JSON Pointer. The first 100 of each. */
export interface ContentMarks {
  /** Removed by the rules of the config. */
  readonly redacted: readonly string[];
  /** Shortened: the size in bytes of a text, or the number of items of an array or object, before. */
  readonly cut: readonly ({ readonly pointer: string } & ({ readonly bytes: number } | { readonly items: number }))[];
  /** Files, of which only size and type are stored. */
  readonly omitted: readonly { readonly pointer: string; readonly bytes: number; readonly mediaType?: string }[];
}

/** The content of a call, as it is stored. */
export interface StoredContent extends ContentMarks {
  readonly level: Exclude<ContentLevel, 'off'>;
  readonly summary: ContentSummary;
  /** Null: only the summary is stored. */
  readonly documents: {
    readonly request: JsonObject;
    readonly response: JsonObject | null;
    readonly repairs: readonly RejectedOutput[];
  } | null;
}

/** The location that the sealed text of a content is bound to. */
export function contentPlace(tenant: TenantId, id: string): SecretPlace {
  return { tenant, kind: 'callContents.content', id };
}
