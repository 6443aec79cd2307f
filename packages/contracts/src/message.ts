import type { JsonObject } from './json.ts';

/**
 * Members that belong to one wire format and have no counterpart in the others, such as `logprobs` of OpenAI or
 * `citations` of Anthropic, by the name of that format. An adapter sends only those of the format it speaks.
 */
export type Extra = Readonly<Record<string, JsonObject>>;

/** A mark that lets the vendor cache the prompt up to here. Vendors that cache on their own ignore it. */
export interface CacheMark {
  /** How long, if the vendor lets the caller choose. Default: the vendor's. */
  readonly ttl?: '5m' | '1h';
}

interface Part {
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

export interface TextPart extends Part {
  readonly type: 'text';
  readonly text: string;
}

/** An image by its URL, which may be a `data:` URL, or as base64. */
export type ImagePart = Part & { readonly type: 'image' } & (
    | { readonly url: string }
    | { readonly data: string; readonly mediaType: string }
  );

export interface AudioPart extends Part {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  /** Such as `audio/wav`. */
  readonly mediaType: string;
}

/** A document, usually a PDF, by its URL or as base64. */
export type FilePart = Part & { readonly type: 'file'; readonly name?: string } & (
    | { readonly url: string }
    | { readonly data: string; readonly mediaType: string }
  );

/**
 * The model's reasoning before its answer. Vendors sign or encrypt it, and expect it back unchanged in the next
 * request; no other vendor may see it.
 */
export interface ReasoningPart extends Part {
  readonly type: 'reasoning';
  /** Empty if the vendor does not reveal it. */
  readonly text: string;
  /** Proves to the vendor that the text is unchanged. */
  readonly signature?: string;
  /** The reasoning in a form that only the vendor can read. */
  readonly encrypted?: string;
  /** The model that reasoned, as `<provider>/<model_name>`. Set by the gateway. */
  readonly by?: string;
}

/** The model declines, in its own words. */
export interface RefusalPart extends Part {
  readonly type: 'refusal';
  readonly text: string;
}

/** The model requests a tool call. */
export interface ToolCallPart extends Part {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

export type UserPart = TextPart | ImagePart | AudioPart | FilePart;
export type AssistantPart = TextPart | ReasoningPart | RefusalPart | ToolCallPart;
export type ToolResultPart = TextPart | ImagePart | FilePart;
/** Every kind of part, of any role. */
export type ContentPart = UserPart | AssistantPart;

/**
 * The content of an assistant's turn: its parts in the order in which the model wrote them. A string stands for one
 * text part.
 */
export type AssistantContent = string | readonly AssistantPart[];

/** One turn of a conversation. A string stands for a single text part. */
export type Message = { readonly extra?: Extra } & (
  | { readonly role: 'system'; readonly content: string | readonly TextPart[] }
  | { readonly role: 'user'; readonly content: string | readonly UserPart[] }
  | { readonly role: 'assistant'; readonly content: AssistantContent }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string | readonly ToolResultPart[];
      /** The tool failed, and the content says how. */
      readonly isError?: boolean;
    }
);
