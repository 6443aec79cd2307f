const TICK_MS = 1;

/**
 * Watches the most CPU time, in milliseconds, that this thread uses in one turn of the event loop. CPU time and not
 * wall-clock time: a busy machine changes it little.
 *
 * A timer that is due fires in every turn. What was used between two of its runs is therefore one turn, plus at most a
 * millisecond of others.
 */
export function watchTurns(): { longest(): number; stop(): void } {
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let before = usedMs();
  const tick = (): void => {
    const now = usedMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return {
    /** The longest turn since this was last asked. */
    longest() {
      tick();
      const found = longest;
      longest = 0;
      before = usedMs();
      return found;
    },
    stop: () => clearInterval(timer),
  };
}
