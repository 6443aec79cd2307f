import type { Filled } from './fill-server.ts';

/** A place in the console that the tests open. */
export interface OpenedScreen {
  /** Name of its screenshots. */
  readonly name: string;
  /** The part of the URL from `#` on. */
  readonly hash: (filled: Filled) => string;
  /** Selector of what is there once it has read its data. */
  readonly ready: string;
}

const editor = '.code-editor[data-ready=true]';

/** Every screen and view that is opened in both themes and widths. */
export const screens: readonly OpenedScreen[] = [
  { name: 'functions', hash: () => '#/functions', ready: '.list-rows .row' },
  { name: 'function-new', hash: () => '#/functions/new', ready: editor },
  { name: 'function', hash: ({ summarize }) => `#/functions/${summarize}`, ready: editor },
  { name: 'function-versions', hash: ({ summarize }) => `#/functions/${summarize}/versions`, ready: '.list-rows .row' },
  { name: 'function-version', hash: ({ summarize }) => `#/functions/${summarize}/versions?version=1`, ready: '.diff' },
  { name: 'function-settings', hash: ({ classify }) => `#/functions/${classify}/settings`, ready: '.plain-list li' },
  { name: 'function-experiments', hash: ({ classify }) => `#/functions/${classify}/experiments`, ready: '.card' },
  { name: 'function-dataset', hash: ({ classify }) => `#/functions/${classify}/dataset`, ready: '.list-rows .row' },
  { name: 'evaluations', hash: ({ classify }) => `#/functions/${classify}/evaluations`, ready: '.list-rows .row' },
  { name: 'schedules', hash: ({ summarize }) => `#/functions/${summarize}/schedules`, ready: '.list-rows .row' },
  {
    name: 'schedule',
    hash: ({ summarize, schedule }) => `#/functions/${summarize}/schedules/${schedule}`,
    ready: '.list-rows .row',
  },
  { name: 'schedule-new', hash: ({ summarize }) => `#/functions/${summarize}/schedules/new`, ready: 'form' },
  { name: 'dead-letters', hash: ({ summarize }) => `#/functions/${summarize}/dead-letters`, ready: '.empty' },
  { name: 'function-names', hash: () => '#/functions/names', ready: '.list-rows .row' },
  { name: 'playground', hash: () => '#/playground', ready: '.composer' },
  { name: 'playground-function', hash: () => '#/playground/function', ready: '.workbench form' },
  { name: 'overview', hash: () => '#/overview', ready: '.chart canvas' },
  { name: 'calls', hash: () => '#/calls', ready: '.list-rows .row' },
  { name: 'call', hash: ({ call }) => `#/calls/${call}`, ready: 'section[aria-label=Content] pre' },
  { name: 'failed-execution', hash: ({ failed }) => `#/calls/${failed}`, ready: '.trace li' },
  { name: 'models', hash: () => '#/models', ready: '.list-rows .row' },
  { name: 'routing', hash: () => '#/models/routing?function=Classify+ticket', ready: '.candidates li' },
  { name: 'model', hash: () => '#/models/openai/gpt-4.1', ready: '.facts dd' },
  { name: 'usage', hash: () => '#/usage', ready: '.u-over' },
  { name: 'budgets', hash: () => '#/usage/budgets', ready: '.budgets li' },
  { name: 'connect', hash: () => '#/connect', ready: '.code' },
  { name: 'keys', hash: () => '#/keys', ready: '.list-rows .row' },
  { name: 'key', hash: ({ key }) => `#/keys/${key}`, ready: '.facts dd' },
  { name: 'new-key', hash: () => '#/keys/new', ready: '.check-list' },
  { name: 'tenants', hash: () => '#/tenants', ready: '.list-rows .row' },
  { name: 'webhooks', hash: () => '#/webhooks', ready: '.list-rows .row' },
  { name: 'webhook', hash: ({ webhook }) => `#/webhooks/${webhook}`, ready: '.facts dd' },
  { name: 'audit-log', hash: () => '#/audit', ready: '.verification .good' },
  { name: 'session', hash: () => '#/session', ready: '.facts dd' },
];
