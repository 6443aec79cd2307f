// The other end is run/protocol.ts: u8 type, u32 big-endian length, bytes.

/** From the host. A module to load, whose run follows at once. */
export const LOAD = 1;
export const RUN = 2;
export const INPUT = 3;
/** A module to load, whose run may follow later. */
export const PRIME = 4;
export const REPLY = 5;
/** The generator may go on. */
export const RESUME = 6;
/** The text of a module, ahead of the frame that has it loaded, which then names built-ins in place of a URL. */
export const MODULE = 7;

/** To the host. Nothing is under way: code may come, or the next run of what is loaded. */
export const READY = 16;
export const LOADED = 17;
export const RESULT = 18;
export const FAILURE = 19;
export const CALL = 20;
export const CANCEL = 21;
/** A result of code that has written nothing: no marks come on the standard streams. */
export const QUIET_RESULT = 22;
/** An output that a generator yielded. */
export const YIELD = 23;
/** The same, of code that has written something before it: a mark comes on the standard output. */
export const MARKED_YIELD = 24;
