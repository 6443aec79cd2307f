/**
 * Writes new plugins: what `npm create @patchbay/plugin` and `patchbay plugin new` are made of.
 *
 * @module
 */
export { type CreatedPlugin, createPlugin, type NewPlugin } from './create-plugin.ts';
export { templates } from './package-files.ts';
