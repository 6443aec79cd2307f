export { schemaDeclarations } from './contract-module.ts';
export { environmentDeclarations } from './environment.ts';
