/** Everything that a credential can be allowed to do. `*` stands for all of it. */
export const scopes = [
  'functions:read',
  'functions:write',
  'functions:execute',
  'gateway:invoke',
  'models:read',
  'settings:read',
  'settings:write',
  'webhooks:read',
  'webhooks:write',
  'keys:write',
  'usage:read',
  'audit:read',
  'metrics:read',
] as const;

/** The name of one permission. */
export type Scope = (typeof scopes)[number];
