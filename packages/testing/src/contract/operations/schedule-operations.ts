import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, rowsOf } from '../expect-answer.ts';
import { withFunction } from '../sample-function.ts';

const input = { text: 'One. Two.' };
const definition = { name: 'nightly', cron: '0 3 * * *', timezone: 'Europe/Berlin', input, catchUp: 'last' };

/** A function with a schedule that is not due during the tests. */
async function withSchedule(api: ApiClient, use: (path: string) => Promise<void>): Promise<void> {
  await withFunction(api, {}, async (path) => {
    const { status, body, text, headers } = await api.ask('POST', `${path}/schedules`, { body: definition });
    assert.equal(status, 201, text);
    assertMembers(body, { ...definition, overlap: 'skip', enabled: true });
    const schedule = `${path}/schedules/${String(body['id'])}`;
    assert.equal(api.within(headers.get('location')), schedule);
    await use(schedule);
  });
}

export function scheduleOperations({ describe, it }: ApiSuite): void {
  describe('schedules', () => {
    it('createSchedule responds with the schedule and its next time', async (api) => {
      await withFunction(api, {}, async (path) => {
        const refused = await api.ask('POST', `${path}/schedules`, { body: { ...definition, timezone: 'Mars/Base' } });
        assertProblem(refused, 400, 'invalid_request', '/timezone');
      });
      await withSchedule(api, async (path) => {
        const collection = path.slice(0, path.lastIndexOf('/'));
        assertProblem(await api.ask('POST', collection, { body: definition }), 409, 'conflict');
      });
    });

    it('listSchedules responds with a page', async (api) => {
      await withSchedule(api, async (path) => {
        const rows = rowsOf(await api.ask('GET', path.slice(0, path.lastIndexOf('/'))));
        assert.deepEqual(rows, [(await api.ask('GET', path)).body]);
      });
    });

    it('getSchedule responds with the schedule', async (api) => {
      await withSchedule(api, async (path) => {
        const { status, body } = await api.ask('GET', path);
        assert.equal(status, 200);
        assertMembers(body, definition);
        const missing = `${path.slice(0, path.lastIndexOf('/'))}/schedule_00000000000000000000000000`;
        assertProblem(await api.ask('GET', missing), 404, 'schedule_not_found');
      });
    });

    it('replaceSchedule gives what is left out its default', async (api) => {
      await withSchedule(api, async (path) => {
        const { status, body } = await api.ask('PUT', path, { body: { every: '1h', input } });
        assert.equal(status, 200);
        assertMembers(body, { name: 'nightly', every: '1h', catchUp: 'none' });
        assert.equal(body['cron'], undefined);
      });
    });

    it('pauseSchedule ends its times', async (api) => {
      await withSchedule(api, async (path) => {
        const { status, body } = await api.ask('POST', `${path}/pause`);
        assert.equal(status, 200);
        assertMembers(body, { enabled: false, pausedReason: 'requested' });
        assert.equal(body['nextAt'], undefined);
      });
    });

    it('resumeSchedule lets it go on', async (api) => {
      await withSchedule(api, async (path) => {
        const { body: before } = await api.ask('GET', path);
        await api.ask('POST', `${path}/pause`);
        const { status, body } = await api.ask('POST', `${path}/resume`);
        assert.equal(status, 200);
        assertMembers(body, { enabled: true, nextAt: before['nextAt'] });
      });
    });

    it('listNextRuns responds with the next times', async (api) => {
      await withSchedule(api, async (path) => {
        const { body: schedule } = await api.ask('GET', path);
        const { body } = await api.ask('GET', `${path}/next-runs?limit=2`);
        const times = body['data'] as readonly string[];
        assert.deepEqual([times.length, times[0]], [2, schedule['nextAt']]);
      });
    });

    it('runSchedule queues an execution', async (api) => {
      await withSchedule(api, async (path) => {
        const { status, body, headers } = await api.ask('POST', `${path}/run`);
        assert.equal(status, 202);
        assertMembers(body, { scheduleId: path.slice(path.lastIndexOf('/') + 1), input });
        // It has ended, or ends now: the next test begins with an empty queue.
        await api.ask('DELETE', api.within(headers.get('location')));
      });
    });

    it('listScheduledExecutions responds with a page', async (api) => {
      await withSchedule(api, async (path) => {
        const { body } = await api.ask('POST', `${path}/run`);
        const rows = rowsOf(await api.ask('GET', `${path}/executions`));
        assert.deepEqual(
          rows.map(({ id }) => id),
          [body['id']],
        );
      });
    });

    it('deleteSchedule responds once', async (api) => {
      await withSchedule(api, async (path) => {
        assert.equal((await api.ask('DELETE', path)).status, 200);
        assertProblem(await api.ask('DELETE', path), 404, 'schedule_not_found');
      });
    });
  });
}
