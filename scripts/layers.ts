/**
 * The folders of the core, from the bottom up. A folder imports folders of lower layers only, values and types alike;
 * folders of one layer may import one another as long as no cycle comes of it.
 */
export const coreLayers: readonly (readonly string[])[] = [
  ['contracts'],
  ['base'],
  ['schema'],
  [
    'secrets',
    'telemetry',
    'egress',
    'transport',
    'provider-kit',
    'paging',
    'events',
    'audit',
    'queue',
    'idempotency',
    'built-in',
    'content',
  ],
  ['access'],
  ['limits'],
  ['usage', 'tools'],
  ['gateway', 'experiments'],
  ['settings'],
  ['functions', 'feedback'],
  ['webhooks', 'transfer'],
  ['config'],
  ['app'],
];
