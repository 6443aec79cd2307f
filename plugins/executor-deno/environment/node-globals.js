// Bundled in where a package uses these names without importing them.
export { Buffer } from 'node:buffer';
export { clearImmediate, setImmediate } from 'node:timers';
