/** What is in the documentation, in the order in which it is read. A test holds it against the pages that are there. */
export const sidebar = [
  {
    text: 'Start',
    items: [
      { text: 'Patchbay', link: '/' },
      { text: 'Concepts', link: '/guide/concepts' },
      { text: 'Functions', link: '/guide/functions' },
      { text: 'Calls by name', link: '/guide/calls' },
      { text: 'Gateway', link: '/guide/gateway' },
      { text: 'Development', link: '/guide/developing' },
    ],
  },
  {
    text: 'Guide',
    items: [
      { text: 'Executions', link: '/guide/executions' },
      { text: 'Providers', link: '/guide/providers' },
      { text: 'Routing', link: '/guide/routing' },
      { text: 'Keys, tokens and tenants', link: '/guide/access' },
      { text: 'Limits', link: '/guide/limits' },
      { text: 'Idempotency', link: '/guide/idempotency' },
      { text: 'Usage and budgets', link: '/guide/usage' },
      { text: 'Webhooks', link: '/guide/webhooks' },
      { text: 'Receiving webhooks', link: '/guide/receiving-webhooks' },
      { text: 'Embedding', link: '/guide/embedding' },
      { text: 'Koa middleware', link: '/guide/middleware' },
    ],
  },
  {
    text: 'Recipes',
    items: [
      { text: 'Structured output', link: '/recipes/structured-output' },
      { text: 'Roll back a prompt', link: '/recipes/roll-a-prompt-back' },
      { text: 'Rotate a key', link: '/recipes/rotate-a-key' },
    ],
  },
  {
    text: 'Plugins',
    items: [
      { text: 'Writing a plugin', link: '/plugins/writing-a-plugin' },
      { text: 'Writing a provider', link: '/plugins/provider' },
      { text: 'Writing a storage', link: '/plugins/storage' },
      { text: 'Writing an executor', link: '/plugins/executor' },
      { text: 'Writing a router', link: '/plugins/router' },
      { text: 'Writing an authenticator', link: '/plugins/authenticator' },
    ],
  },
  {
    text: 'Operations',
    items: [
      { text: 'Overview', link: '/operate/index' },
      { text: 'Installing on a server', link: '/operate/install' },
      { text: 'Containers', link: '/operate/container' },
      { text: 'Running', link: '/operate/running' },
      { text: 'Monitoring', link: '/operate/monitoring' },
      { text: 'Upgrading', link: '/operate/upgrading' },
      { text: 'Backup', link: '/operate/backup' },
      { text: 'PostgreSQL', link: '/operate/postgres' },
      { text: 'Replicas', link: '/operate/replicas' },
      { text: 'Sizing', link: '/operate/sizing' },
      { text: 'Workers', link: '/operate/workers' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Config', link: '/reference/config' },
      { text: 'Config options', link: '/reference/config-options' },
      { text: 'Command line', link: '/reference/cli' },
      { text: 'Errors', link: '/reference/errors' },
      { text: 'Webhook events', link: '/reference/webhook-events' },
      { text: 'Provider failures', link: '/reference/provider-failures' },
    ],
  },
  {
    text: 'Scorecards',
    items: [
      { text: 'Performance', link: '/performance' },
      { text: 'Reliability', link: '/reliability' },
      { text: 'Security model', link: '/security-model' },
      { text: 'Hostile programs', link: '/hostile-programs' },
    ],
  },
];
