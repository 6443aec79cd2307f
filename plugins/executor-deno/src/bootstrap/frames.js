// The other end is run/frames.ts: u8 type, u32 big-endian length, bytes.

/** From the host. */
export const LOAD = 1;
export const RUN = 2;
export const INPUT = 3;

/** To the host. */
export const READY = 16;
export const LOADED = 17;
export const RESULT = 18;
export const FAILURE = 19;
