import type { App } from '@patchbay/core';

// Derived from the services, as in http: the core exports what hosts build with.

type Services = App['services'];
type Gateway = Services['gateway'];

/** A chat in which only the caller runs tools, as in the APIs of vendors. */
export type ChatInput = ReturnType<Parameters<Gateway['relayChat']>[0]['translate']>;
export type Routing = NonNullable<ChatInput['routing']>;
/** The model that a request names, and how to choose it. */
export type ModelChoice = Pick<ChatInput, 'model' | 'routing'>;

export type ChatAnswer = Awaited<ReturnType<Gateway['chat']>>;

type Relayed = Awaited<ReturnType<Gateway['relayStreamedChat']>>;
type StreamEvent = ItemOf<Extract<Relayed, { readonly events: unknown }>['events']>;
/** From here on, another model continues the message. */
export type Resumed = Extract<StreamEvent, { readonly resumed: unknown }>;
export type ChatPiece = Exclude<StreamEvent, Resumed | { readonly done: unknown }>;
/** A piece of a streamed message, or the complete message after the last one. */
export type ChatEvent = ChatPiece | Resumed | { readonly done: ChatAnswer };

export type CatalogModel = ReturnType<Gateway['models']>[number];

type ItemOf<Items> = Items extends AsyncIterable<infer Item> ? Item : never;

/** A request in the words of an API, as the gateway relays it. */
export type OriginalRequest = Parameters<Gateway['relayChat']>[0]['original'];
export type NamedMember = OriginalRequest['storedIds'][number];
export type OriginalReader = ReturnType<OriginalRequest['createReader']>;
export type ResumePoint = NonNullable<OriginalReader['resumePoint']>;
export type ForwardOutcome = OriginalReader['outcome'];
