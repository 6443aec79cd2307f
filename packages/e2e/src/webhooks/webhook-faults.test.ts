import { expect, it } from 'vitest';
import { webhookFaults } from './webhook-faults.ts';

it('no event is lost to failing receivers or to a killed server', async () => {
  const { acknowledged, kills, receivers, faults } = await webhookFaults({
    seed: 1,
    events: 40,
    kills: 1,
    // A busy machine is no failing receiver: what fails once everything is healthy waits long for its next attempt.
    timeoutMs: 2_000,
  });
  expect(faults).toEqual([]);
  expect(kills).toBe(1);
  expect(acknowledged).toBeGreaterThanOrEqual(40);
  const attempts = Object.fromEntries(receivers.map((receiver) => [receiver.name, receiver.attempts]));
  expect(attempts['hangs']?.['hang']).toBeGreaterThan(0);
  expect(attempts['resets']?.['reset']).toBeGreaterThan(0);
}, 300_000);
