/** Microseconds that the slowest of the fastest half, 95 % and 99 % of the calls took. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Call a body this many times, one after the other. */
export async function percentiles(times: number, body: (round: number) => Promise<unknown>): Promise<Percentiles> {
  for (let round = 0; round < Math.min(times, 500); round += 1) await body(round);
  const took = new Float64Array(times);
  for (let round = 0; round < times; round += 1) {
    const start = process.hrtime.bigint();
    await body(round);
    took[round] = Number(process.hrtime.bigint() - start) / 1_000;
  }
  took.sort();
  const at = (share: number) => Math.round((took[Math.floor(times * share)] ?? 0) * 10) / 10;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
