/**
 * Abort many model calls in every phase while garbage is collected, and count the aborts that were lost:
 *
 *     node --conditions=source scripts/abort-soak.ts [calls]
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { countArgument } from './count-argument.ts';
import { openScorecard } from './scorecard/open-scorecard.ts';

const scorecard = openScorecard('aborts');

const calls = countArgument(1, 10_000);
const fixture = new URL('../packages/testing/src/upstream/transport/fixtures/abort-soak.ts', import.meta.url);
const { stdout } = await promisify(execFile)(process.execPath, [
  '--expose-gc',
  '--conditions=source',
  fileURLToPath(fixture),
  String(calls),
]);
console.log(stdout.trim());
const { lost, openSockets, connections, medianMs, seconds } = JSON.parse(stdout) as Readonly<
  Record<'lost' | 'openSockets' | 'connections' | 'medianMs' | 'seconds', number>
>;
scorecard.record([
  {
    what: 'model calls aborted while connecting, before headers, in the body and in a stream, during garbage collection: aborts lost or sockets left open',
    value: lost + openSockets,
    target: { exactly: 0 },
    note: `${connections} connections, closed after ${medianMs} ms (median), ${seconds} s in total`,
  },
  { what: 'the same: calls', value: calls, target: { least: 10_000 } },
]);
process.exitCode = lost + openSockets === 0 ? 0 : 1;
