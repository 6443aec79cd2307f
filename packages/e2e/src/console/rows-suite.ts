import { expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import type { ConsolePage } from './console-page.ts';
import type { ConsoleInUse } from './use-console.ts';

const ROWS = 100_000;
const PAGE = 1_000;
const FRAMES = 600;
const FRAME_MS = 50;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ph: string;
  /** Microseconds of CPU: those for which other processes had the core do not count. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Tests of lists with more rows than a page could hold. */
export function rowsSuite(used: ConsoleInUse): void {
  it.runIf(isFullSize)(
    'a list of 100,000 rows is scrolled to its end, and no frame takes longer than 50 ms',
    async () => {
      const opened = await used.signedIn();
      const { page } = opened;
      await playFunctions(opened);
      await opened.open('#/functions', '.list-rows .row');
      await page.tracing.start({ categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
      const read = await page.evaluate(`(async () => {
      const view = document.querySelector('.list-view');
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const last = '[aria-rowindex="${ROWS + 1}"]';
      // Down to what was read so far, again and again: the next page is read meanwhile.
      while (document.querySelector(last) === null) {
        view.scrollTop = view.scrollHeight;
        await frame();
      }
      const step = view.scrollHeight / ${FRAMES};
      for (let at = view.scrollHeight; at > 0; at -= step) {
        view.scrollTop = at;
        await frame();
      }
      return document.querySelectorAll('.list-rows .row').length;
    })()`);
      const trace = await page.tracing.stop();
      const { traceEvents } = JSON.parse(new TextDecoder().decode(trace)) as { readonly traceEvents: TraceEvent[] };
      expect(read).toBeLessThan(100);
      expect(longestTaskMs(traceEvents)).toBeLessThan(FRAME_MS);
      expect(opened.faults()).toEqual([]);
    },
  );
}

/** Answer in place of the server: it would take minutes to write so many functions. */
async function playFunctions({ page }: ConsolePage): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname !== '/functions') return void request.continue();
    const from = Number(searchParams.get('cursor') ?? 0);
    const at = '2026-11-23T12:00:00.000Z';
    const data = Array.from({ length: PAGE }, (_, index) => {
      const number = from + index + 1;
      return {
        id: `function_${number}`,
        name: `Function ${number}`,
        description: 'Counts.',
        createdAt: at,
        updatedAt: at,
      };
    });
    const next = from + PAGE;
    const meta = { total: ROWS, limit: PAGE, offset: 0, ...(next < ROWS && { nextCursor: String(next) }) };
    void request.respond({ contentType: 'application/json', body: JSON.stringify({ data, meta }) });
  });
}

/** The longest task of the thread that draws the page, in milliseconds of its CPU. */
function longestTaskMs(events: readonly TraceEvent[]): number {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isDrawing = ({ pid, tid }: TraceEvent) => threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = events.filter(({ name, ph }) => ph === 'X' && name.endsWith('RunTask')).filter(isDrawing);
  if (tasks.length < FRAMES) throw new Error(`the trace has only ${tasks.length} tasks`);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
