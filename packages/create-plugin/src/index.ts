/**
 * Writes new plugins: the code behind `npm create @patchbay/plugin` and `patchbay plugin new`.
 *
 * @module
 */
export { type CreatedPlugin, createPlugin, type NewPlugin } from './create-plugin.ts';
export { templates } from './package-files.ts';
