/**
 * The reference server: the API on Koa, with the limits that a server on a network needs.
 *
 * @module
 */
export { createKoaApp, createRouter, type KoaAppOptions } from './koa-app.ts';
export { type RunningServer, startServer } from './server.ts';
export { type ServerConfig, serverConfigSchema, type WorkerConfig, workerConfigSchema } from './server-config.ts';
