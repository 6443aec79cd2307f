import type { Responses } from 'openai/resources/responses/responses';

/** An event about an item, without its number in the stream. */
export type ItemEvent = DistributiveOmit<
  | Responses.ResponseOutputItemAddedEvent
  | Responses.ResponseOutputItemDoneEvent
  | Responses.ResponseContentPartAddedEvent
  | Responses.ResponseContentPartDoneEvent
  | Responses.ResponseTextDeltaEvent
  | Responses.ResponseTextDoneEvent
  | Responses.ResponseRefusalDeltaEvent
  | Responses.ResponseRefusalDoneEvent
  | Responses.ResponseFunctionCallArgumentsDeltaEvent
  | Responses.ResponseFunctionCallArgumentsDoneEvent
  | Responses.ResponseReasoningSummaryPartAddedEvent
  | Responses.ResponseReasoningSummaryPartDoneEvent
  | Responses.ResponseReasoningSummaryTextDeltaEvent
  | Responses.ResponseReasoningSummaryTextDoneEvent,
  'sequence_number'
>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
