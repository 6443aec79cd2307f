/** The part of Deno's own interface that the bootstrap uses. */
declare namespace Deno {
  const args: readonly string[];
  const stdout: { writeSync(bytes: Uint8Array): number };
  const stderr: { writeSync(bytes: Uint8Array): number };
  const permissions: { revokeSync(descriptor: { name: string }): unknown };
  function connect(options: { transport: 'unix'; path: string }): Promise<Connection>;
  function exit(code: number): never;
  function inspect(value: unknown, options?: { depth?: number }): string;

  interface Connection {
    read(bytes: Uint8Array): Promise<number | null>;
    write(bytes: Uint8Array): Promise<number>;
  }
}

/** The events of the global scope that the bootstrap listens to. */
declare function addEventListener(
  type: 'error' | 'unhandledrejection' | 'beforeunload',
  listener: (event: { preventDefault(): void; readonly error?: unknown; readonly reason?: unknown }) => void,
): void;

interface Uint8Array<TArrayBuffer extends ArrayBufferLike> {
  toBase64(): string;
}
interface Uint8ArrayConstructor {
  fromBase64(text: string): Uint8Array<ArrayBuffer>;
}

declare module 'data:text/javascript,';
