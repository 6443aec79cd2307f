/**
 * Have clients leave requests to every endpoint that asks a model, and count what stays open at the vendors:
 *
 *     node --conditions=source packages/e2e/scripts/abandoned-requests.ts [requests]
 */
import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { adminKey } from '../src/driver/server-process.ts';
import { abandonRequests, mountsOf, startUpstreams } from '../src/gateway/abandoned-requests.ts';
import { startGateway } from '../src/gateway/start-gateway.ts';

const scorecard = openScorecard('abandoned-requests');

const requests = countArgument(1, 1_000);
const upstreams = await startUpstreams();
const gateway = await startGateway({ providers: mountsOf(upstreams) });
const start = performance.now();
const report = await abandonRequests(requests, upstreams, (path, body, signal) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  }),
);
const seconds = Math.round((performance.now() - start) / 1_000);
await gateway.stop();
await Promise.all(upstreams.map((upstream) => upstream.stop()));
console.log(JSON.stringify({ ...report, seconds }));
const open = requests - report.closed + report.openSockets;
scorecard.record([
  {
    what: 'clients that leave a response of an endpoint, in the format of Patchbay, OpenAI or Anthropic: requests or sockets left open at the vendor',
    value: open,
    target: { exactly: 0 },
    note: `${report.asked} requests to the vendors, ${seconds} s`,
  },
  { what: 'the same: requests', value: requests, target: { least: 1_000 } },
]);
process.exitCode = open === 0 && report.asked === requests ? 0 : 1;
