/**
 * The folders of the packages at the bottom, and of the core above them, from the bottom up; `.` are the files directly in
 * `src`. A folder imports folders of lower layers only, values and types alike; folders of one layer may import one another
 * as long as there is no cycle.
 */
export const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  contracts: [['.', 'collections'], ['base'], ['schema']],
  outbound: [['egress'], ['provider-kit'], ['transport']],
  core: [
    ['secrets', 'telemetry', 'paging', 'events', 'audit', 'queue', 'idempotency', 'built-in', 'call-content'],
    ['access'],
    ['limits'],
    ['usage', 'tools'],
    ['gateway', 'experiments'],
    ['settings'],
    ['functions', 'feedback'],
    ['webhooks', 'transfer'],
    ['config'],
    ['app'],
  ],
};
