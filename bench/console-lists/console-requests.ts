const DAY_MS = 86_400_000;

/** The requests that the console makes when its screens open and when their filters are used: a name and a path of each. */
export function consoleRequests(functionId: string): readonly (readonly [name: string, path: string])[] {
  const page = 'limit=100&order=desc';
  const day = (days: number): string =>
    new Date(Math.ceil((Date.now() - days * DAY_MS) / DAY_MS) * DAY_MS).toISOString();
  const calls = (filter: string): string => `/calls?${page}${filter}`;
  return [
    ['functions', `/functions?${page}`],
    ['function names', '/observed-names?limit=100'],
    ['overview, a day by the hour', `/overview?from=${day(1)}&by=hour`],
    ['overview, 30 days', `/overview?from=${day(30)}&by=day`],
    ['calls', calls('')],
    ['calls of a function with half of them', calls(`&functionId=${functionId}`)],
    ['calls of a function without any', calls('&functionId=function_none')],
    ['calls of a model with most of them', calls('&model=demo/extractive')],
    ['calls of a rare model', calls('&model=demo/rare')],
    ['calls of a key', calls('&keyId=key_7')],
    ['failed calls', calls('&outcome=failed')],
    ['calls since an hour', calls(`&since=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}`)],
    ['failed calls of a function', calls(`&outcome=failed&functionId=${functionId}`)],
    ['calls of a function and a model, of which there are none', calls(`&functionId=${functionId}&model=demo/rare`)],
    ['calls of a function and an outcome, none', calls(`&functionId=${functionId}&outcome=cancelled`)],
    ['calls of a model and an outcome, none', calls('&model=demo/extractive&outcome=cached')],
    ['calls of a key, a model and an outcome, none', calls('&keyId=key_7&model=demo/extractive&outcome=cached')],
    ['executions', `/executions?${page}`],
    ['failed executions', `/executions?${page}&status=failed`],
    ['executions of a function', `/functions/${functionId}/executions?${page}`],
    ['dead letters of a function', `/dead-letters?${page}&functionId=${functionId}`],
    ['dead letters', `/dead-letters?${page}`],
    ['usage of 30 days', '/usage'],
    ['usage of 30 days by model', '/usage?groupBy=model'],
    ['usage of 30 days by day', '/usage?groupBy=day'],
    ['usage of 92 days by key', `/usage?groupBy=key&from=${day(90)}`],
    ['usage of a day by the hour', `/usage?groupBy=hour&from=${day(1)}`],
    ['budgets', '/budgets'],
    ['models', '/models'],
    ['expiring keys', '/expiring-keys?days=7'],
    ['keys', `/keys?${page}`],
    ['audit log', `/audit?${page}`],
    ['webhooks', `/webhooks?${page}`],
  ];
}
