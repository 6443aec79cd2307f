export { canary, canaryMark } from './canary.ts';
export { type CanaryReport, type CanaryWatch, watchCanaries } from './canary-watch.ts';
export { isUpstream, searchAnswer, searchFolder, searchLogEntry, searchProcess } from './search.ts';
