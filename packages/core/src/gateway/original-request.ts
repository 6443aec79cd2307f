import type { Dialect, ForwardReader } from '@patchbay/contracts/forward';
import type { ModelCapability } from '@patchbay/contracts/provider';
import type { ChatAnswer, ChatPiece, Resumed } from './gateway-service.ts';
import type { Conversing } from './session-affinity.ts';

/** A member of a request that a policy decides about. */
export interface NamedMember {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly name: string;
}

/** A position in a stream of one dialect where another model continues. */
export interface ResumePoint {
  /** All text of the model that was sent to the caller. */
  readonly text: string;
  /**
   * Continue the stream in its state: its ids, numbers and open blocks. Ends as a complete stream does.
   *
   * @param events In lists of those that arrive together: `resumed`, the pieces that follow `text`, and the complete message, whose text includes `text`.
   * @throws What `events` throw.
   */
  write(
    events: AsyncIterable<readonly (ChatPiece | Resumed | { readonly done: ChatAnswer })[]>,
  ): AsyncGenerator<Uint8Array>;
}

/** Reads one response, and can continue it in its dialect. */
export interface OriginalReader extends ForwardReader {
  /**
   * Undefined once the caller was sent more than text and reasoning without a proof, or the end of the text, and for
   * responses that are not streams.
   */
  readonly resumePoint: ResumePoint | undefined;
  /**
   * The events by which the vendor reported `failure`. They are not among the bytes for the caller, who receives them if no
   * other model continues.
   */
  readonly withheld: Uint8Array;
}

/**
 * A request in the format of a vendor's API: read as far as planning and policies need it, and otherwise as it was
 * sent. The gateway forwards it to models whose provider speaks this dialect.
 */
export interface OriginalRequest {
  readonly dialect: Dialect;
  readonly stream: boolean;
  /** A header by its lower-case name. Vendors receive few of them. */
  readonly header: (name: string) => string | undefined;
  /** The bytes for one model: as sent, but with its name, and without members that are for the gateway. */
  readonly bodyFor: (model: string) => Uint8Array;
  readonly createReader: () => OriginalReader;
  readonly capabilities: readonly ModelCapability[];
  /** Estimate. */
  readonly inputTokens: number;
  readonly maxTokens?: number | undefined;
  /** Number of requested completions. */
  readonly choices: number;
  /** Multiple of the list price, for service tiers that cost more. */
  readonly priceFactor: number;
  /** Texts to embed. */
  readonly texts?: number | undefined;
  /** Tools that the vendor runs itself, and members that make it run some. */
  readonly vendorTools: readonly NamedMember[];
  /** Ids of objects that the vendor keeps. */
  readonly storedIds: readonly NamedMember[];
  /** Absent for a request that no other one continues. */
  readonly conversing?: Conversing | undefined;
  /** Digests of the reasoning in the conversation, which only its own vendor may see. */
  readonly reasoning: readonly string[];
  /**
   * The vendor can tell whether reasoning is its own. Otherwise reasoning is sent to no vendor, unless it is known to
   * be from there.
   */
  readonly isReasoningSigned: boolean;
  /** It has content that only the gateway can read, such as reasoning that it packed. */
  readonly isOurs: boolean;
}
