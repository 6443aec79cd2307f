export { schemaDeclarations } from './contract-module.ts';
export { environmentDeclarations, unknownTools } from './environment.ts';
