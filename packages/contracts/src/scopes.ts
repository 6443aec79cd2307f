/** Every permission of a credential, and its meaning. */
export const scopes = {
  'functions:read': 'Read functions, their versions and their executions',
  'functions:write': 'Create, replace, restore and delete functions',
  'functions:execute': 'Execute functions',
  'code:run': 'Run programs that call functions',
  'gateway:invoke': 'Generate, chat, embed and call functions with models',
  'tools:call': 'Let models call the tools of mounted servers',
  'models:read': 'Read the model catalogue',
  'settings:read': 'Read the model settings of functions',
  'settings:write': 'Change the model settings of functions',
  'webhooks:read': 'Read webhooks and their deliveries',
  'webhooks:write': 'Create, change, test and delete webhooks',
  'keys:write': 'Create, list, rotate and revoke API keys',
  'keys:permanent': 'Create and rotate API keys that outlive the credential they are made with',
  'calls:read': 'Read how calls were answered, and by which models',
  'calls:content': 'Read what is stored of the content of calls: prompts, inputs and outputs',
  'feedback:read': 'Read feedback about answers',
  'feedback:write': 'Give and delete feedback about answers',
  'usage:read': 'Read usage',
  'audit:read': 'Read the audit log',
  'metrics:read': 'Read metrics of the whole server, of all tenants together',
  'tenants:read': 'List the tenants of the server',
} as const;

/** The name of one permission. */
export type Scope = keyof typeof scopes;

/** A permission that a credential can hold: a scope, or `*` for all but the operator's. */
export type GrantedScope = Scope | '*';

/**
 * Whether a string is a scope of Patchbay or `*`. For authenticators whose tokens or stored rows may contain others, which
 * they drop: a principal with an unknown scope is rejected as an error of its authenticator.
 *
 * @example
 * ```ts
 * import { isGrantedScope } from '@patchbay/core/plugin';
 *
 * const scopes = 'openid functions:read'.split(' ').filter(isGrantedScope); // ["functions:read"]
 * ```
 */
export function isGrantedScope(text: string): text is GrantedScope {
  return text === '*' || Object.hasOwn(scopes, text);
}

/**
 * The scopes that `*` does not include, because they reach beyond a tenant or beyond the credential itself. Each is
 * granted explicitly, by a caller that has it.
 *
 * @example
 * ```ts
 * import { operatorScopes } from '@patchbay/core/plugin';
 *
 * const everything = ['*', ...operatorScopes];
 * console.log(everything.includes('metrics:read')); // true
 * ```
 */
export const operatorScopes: readonly Scope[] = ['keys:permanent', 'metrics:read', 'tenants:read'];
