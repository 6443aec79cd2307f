import type { RequestHead } from '@patchbay/core/plugin';
import type { IncomingRequest } from '../incoming-request.ts';

/** The parts of a request that authenticators may see. */
export type HeadOfRequest = Pick<IncomingRequest, 'method' | 'target' | 'header' | 'headerCount' | 'peerCertificate'>;

interface Found {
  readonly mountPath: string;
  readonly remoteAddress: string | undefined;
  readonly token: string | undefined;
}

/** A head whose members are getters over private fields: logged, spread or serialized, it shows nothing. */
export class PresentedRequest implements RequestHead {
  readonly #request: HeadOfRequest;
  readonly #found: Found;

  constructor(request: HeadOfRequest, found: Found) {
    this.#request = request;
    this.#found = found;
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#found.mountPath + this.#request.target;
  }

  get token(): string | undefined {
    return this.#found.token;
  }

  get remoteAddress(): string | undefined {
    return this.#found.remoteAddress;
  }

  get peerCertificate(): Uint8Array | undefined {
    return this.#request.peerCertificate?.();
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }
}
