import { describe } from 'vitest';
import { attacksSuite } from './attacks-suite.ts';
import { callsSuite } from './calls-suite.ts';
import { deadLettersSuite } from './dead-letters-suite.ts';
import { functionsSuite } from './functions-suite.ts';
import { manageSuite } from './manage-suite.ts';
import { browserFault } from './open-browser.ts';
import { overviewSuite } from './overview-suite.ts';
import { payloadsSuite } from './payloads-suite.ts';
import { playgroundSuite } from './playground-suite.ts';
import { readOnlySuite } from './read-only-suite.ts';
import { referenceSuite } from './reference-suite.ts';
import { reportSuite } from './report-suite.ts';
import { rowsSuite } from './rows-suite.ts';
import { scenarioSuite } from './scenario-suite.ts';
import { schedulesSuite } from './schedules-suite.ts';
import { screensSuite } from './screens-suite.ts';
import { signInSuite } from './sign-in-suite.ts';
import { speedSuite } from './speed-suite.ts';
import { useConsole } from './use-console.ts';

const fault = browserFault();
if (fault !== undefined) console.warn(`No browser starts here, so the console is not tested: ${fault}`);

describe.skipIf(fault !== undefined)('in a browser', () => {
  // One server and one browser for all of them: each suite is in its own file.
  const used = useConsole();

  describe('signing in to the console', () => {
    signInSuite(used);
  });
  describe('the API reference', () => {
    referenceSuite(used);
  });
  describe('a session in the console', () => {
    scenarioSuite(used);
  });
  describe('functions in the console', () => {
    functionsSuite(used);
  });
  describe('the playground of the console', () => {
    playgroundSuite(used);
  });
  describe('schedules in the console', () => {
    schedulesSuite(used);
  });
  describe('dead letters in the console', () => {
    deadLettersSuite(used);
  });
  describe('the console', () => {
    speedSuite(used);
  });
  describe('long lists in the console', () => {
    rowsSuite(used);
  });
  describe('the screens of the console', () => {
    screensSuite(used);
  });
  describe('the calls in the console', () => {
    callsSuite(used);
  });
  describe('the report of an evaluation', () => {
    reportSuite(used);
  });
  describe('the overview in the console', () => {
    overviewSuite(used);
  });
  describe('the management of a server in the console', () => {
    manageSuite(used);
  });
  describe('an attacker', () => {
    attacksSuite(used);
  });
  describe('a key that may only read functions', () => {
    readOnlySuite(used);
  });
  // Last: it leaves many rows.
  describe('texts that are code in the console', () => {
    payloadsSuite(used);
  });
});
