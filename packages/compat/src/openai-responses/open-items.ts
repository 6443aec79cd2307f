import type { Responses } from 'openai/resources/responses/responses';
import type { MessageContent, OutputItem } from './output-items.ts';

/** A message whose end is still to be written. */
export interface OpenMessage {
  readonly kind: 'message';
  readonly index: number;
  /** As it was added. */
  readonly item: Responses.ResponseOutputMessage;
  /** Complete parts. */
  readonly content: MessageContent[];
  /** The open part; undefined between two of them. */
  readonly part: MessageContent['type'] | undefined;
  readonly text: string;
}

/** Reasoning whose end is still to be written. */
export interface OpenReasoning {
  readonly kind: 'reasoning';
  readonly index: number;
  /** As it was added. */
  readonly item: Responses.ResponseReasoningItem;
  /** Complete parts. */
  readonly content: Responses.ResponseReasoningItem.Summary[];
  /** Of the open part; undefined between two of them. */
  readonly text: string | undefined;
}

/** Items that were written before. */
export interface BegunItems {
  readonly complete: readonly OutputItem[];
  readonly open: OpenMessage | OpenReasoning | undefined;
}
