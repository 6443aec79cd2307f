/** The geometric mean of ratios, with its 95 % confidence interval. */
export function interval(ratios: readonly number[]): string {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, logs.length - 1);
  const half = 1.96 * Math.sqrt(variance / logs.length);
  return `${Math.exp(mean).toFixed(3)} (${Math.exp(mean - half).toFixed(3)} to ${Math.exp(mean + half).toFixed(3)})`;
}
