import { describe } from 'vitest';
import { modelCommandsSuite } from '../cli/models.ts';
import { useServerHere } from '../driver/use-server-here.ts';
import { contextSuite } from '../functions/context.ts';
import { followLogsSuite } from '../functions/follow-logs.ts';
import { programsSuite } from '../functions/programs.ts';
import { demoSuite } from '../gateway/demo.ts';

// One server, as it comes and without a key of any vendor, for all of these.

const server = useServerHere();

describe('the gateway', () => {
  demoSuite(server);
});
describe('the commands', () => {
  modelCommandsSuite(server);
});
describe('a function', () => {
  contextSuite(server);
  programsSuite(server);
});
describe('an execution', () => {
  followLogsSuite(server);
});
