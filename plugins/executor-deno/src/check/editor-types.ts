export { schemaDeclarations } from './contract-module.ts';
export { environment as environmentDeclarations } from './environment.ts';
