/**
 * Ctrl-C, a closed terminal and many supervisors signal all processes of a server at once. It is the server that decides
 * then: while it lets runs end, its helpers have to be there. They go when it does.
 */
export function ignoreSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
}
