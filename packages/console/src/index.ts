/**
 * The web console: operations that serve its built files.
 *
 * @module
 */
export { consoleOperations } from './console-operations.ts';
