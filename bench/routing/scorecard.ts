/**
 * The scorecard of the router that learns: simulated models, and recorded responses of public research data, with plots.
 *
 *     node --conditions=source bench/routing/scorecard.ts [seeds] [share of the calls] --data <folder> [--results <file>] [--record]
 *
 * The folder has checkouts, by their names: github.com/ulab-uiuc/LLMRouter, github.com/ParetoBandit/ParetoBandit,
 * github.com/lm-sys/RouteLLM, github.com/RouteWorks/RouterArena. Without it, the simulation alone runs, and nothing is recorded. The
 * file keeps the results of a run that takes an hour: what it has is not run again.
 */
import { parseArgs } from 'node:util';
import { openScorecard } from '../../scripts/scorecard/open-scorecard.ts';
import { figuresOf } from './figures.ts';
import { writePlots } from './plots.ts';
import { runJobs } from './run-jobs.ts';
import { scorecardJobs } from './scorecard-jobs.ts';

const scorecard = openScorecard('learned-routing');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, results: { type: 'string' } },
});
const [seeds = 20, calls = 1] = positionals.map(Number);
const { data = '', results: file } = values;
const jobs = scorecardJobs.filter(({ matrix }) => matrix === undefined || data !== '');
const results = await runJobs(jobs, { seeds, calls, data }, file);
const figures = figuresOf(results);
for (const { what, value, note } of figures) console.log(`${what}: ${value}; ${note ?? ''}`);
if (data !== '') {
  writePlots(results);
  scorecard.record(figures);
}
