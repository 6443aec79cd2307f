/** What a credential can be allowed to do, and what each permission means. `*` stands for all of them. */
export const scopes = {
  'functions:read': 'Read functions, their versions and their executions',
  'functions:write': 'Create, replace, restore and delete functions',
  'functions:execute': 'Execute functions',
  'gateway:invoke': 'Generate, chat, embed and call functions with models',
  'models:read': 'Read the model catalogue',
  'settings:read': 'Read the model settings of functions',
  'settings:write': 'Change the model settings of functions',
  'webhooks:read': 'Read webhooks and their deliveries',
  'webhooks:write': 'Create, change, test and delete webhooks',
  'keys:write': 'Create, list, rotate and revoke API keys',
  'usage:read': 'Read usage',
  'audit:read': 'Read the audit log',
  'metrics:read': 'Read metrics',
} as const;

/** The name of one permission. */
export type Scope = keyof typeof scopes;
