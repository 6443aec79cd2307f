/** Milliseconds that a timer can wait at most: for more, `setTimeout` fires at once. */
export const longestTimer = 2 ** 31 - 1;
