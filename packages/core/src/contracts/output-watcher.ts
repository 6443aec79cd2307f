/** Sees an output while somebody writes it. Told as often as there is something new; it must not throw. */
export interface OutputWatcher {
  /** The JSON text so far, from its beginning, as its author writes it: with anything around it, and not checked yet. */
  wrote(text: string): void;
  /** What was written until now is void, because it did not fit or its author failed: another attempt begins. */
  restarted(why: string): void;
}
