import type { Principal } from '@patchbay/core/plugin';

/** A body as a transport delivers it: bytes, or the value that a parser of the host already made of them. */
export type ReceivedBody = { readonly bytes: Uint8Array } | { readonly parsed: unknown };

/** One HTTP request, as the pipeline sees it. Each binder implements it over what its host gives it. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query as they were sent, without the prefix that the host stripped for its mount. */
  readonly target: string;
  /** The prefix that the host cut off the path, such as `/api`; usually empty. */
  readonly mountPath: string;
  /** Who asks, where the host has found out itself; without one, the token of the request tells. */
  caller(): Principal | undefined | Promise<Principal | undefined>;
  readonly remoteAddress: string | undefined;
  /** The client certificate in DER, where the transport has verified one. */
  peerCertificate?(): Uint8Array | undefined;
  /** The fault in the head of the message, where only the transport can see it. */
  readonly headFault: string | undefined;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  /** How often a header was sent. */
  headerCount(name: string): number;
  hasBody(): boolean | Promise<boolean>;
  /**
   * @throws PatchbayError `body_too_large` as soon as more than `limitBytes` are announced or have arrived;
   *   `client_closed_request` when the body ends early.
   * @param take Called with the size of each piece before it is kept; throws where no more can be kept.
   */
  readBody(limitBytes: number, take: (bytes: number) => void): Promise<ReceivedBody>;
  /** Call `listener` if the client leaves before the response is finished; at once if it has left already. */
  onDisconnect(listener: () => void): void;
}
