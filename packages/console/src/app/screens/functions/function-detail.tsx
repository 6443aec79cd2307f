import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ErrorView } from '../../parts/error-view.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { DatasetView } from './dataset-view.tsx';
import { DeadLettersView } from './dead-letters-view.tsx';
import { EvaluationsView } from './evaluations-view.tsx';
import { ExperimentsView } from './experiments-view.tsx';
import { FunctionCode } from './function-code.tsx';
import { ScheduleDetail } from './schedule-detail.tsx';
import { ScheduleCreation } from './schedule-form.tsx';
import { ScheduleList } from './schedule-list.tsx';
import { SettingsView } from './settings-view.tsx';
import { VersionsView } from './versions-view.tsx';

/** A function, and the tabs of what belongs to it. */
export function FunctionDetail(props: {
  readonly id: string;
  readonly view: string;
  /** Which of its items the view shows: an id, or `new`. */
  readonly part: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}) {
  const { id, view, part, query } = props;
  const { api } = useConsole();
  const { data, error, reload } = useLoad((signal) => api.read('getFunction', { path: { id }, signal }), [id]);
  if (error !== undefined && !data) return <ErrorView error={error} onRetry={reload} />;
  if (!data) return null;
  const views = [
    ['code', 'Code', 'getFunction'],
    ['versions', 'Versions', 'listFunctionVersions'],
    ['settings', 'Settings', 'listSettingsVersions'],
    ['experiments', 'Experiments', 'listExperiments'],
    ['dataset', 'Dataset', 'readDataset'],
    ['evaluations', 'Evaluations', 'readDataset'],
    ['schedules', 'Schedules', 'listSchedules'],
    ['dead-letters', 'Dead letters', 'listDeadLetters'],
  ] as const;
  const tabs = views
    .filter(([, , needs]) => api.may(needs))
    .map(([name, title]) => ({ title, href: linkTo(['functions', id, name]), current: name === view }));
  const page = {
    title: data.data.name,
    trail: [{ title: 'Functions', href: linkTo(['functions']) }],
  };
  const head = <Tabs label={`Views of ${data.data.name}`} tabs={tabs} />;
  if (view === 'versions')
    return <VersionsView page={page} head={head} saved={data.data} query={query} reload={reload} />;
  if (view === 'settings') return <SettingsView page={page} head={head} id={id} query={query} />;
  if (view === 'experiments') return <ExperimentsView page={page} head={head} id={id} />;
  if (view === 'schedules') {
    const isNew = part === 'new';
    if (part === undefined || (isNew && !api.may('createSchedule')))
      return <ScheduleList page={page} head={head} id={id} />;
    if (isNew) return <ScheduleCreation page={page} head={head} saved={data.data} />;
    return <ScheduleDetail key={part} page={page} head={head} saved={data.data} id={part} />;
  }
  if (view === 'evaluations') return <EvaluationsView page={page} head={head} saved={data.data} />;
  if (view === 'dead-letters') return <DeadLettersView page={page} head={head} id={id} />;
  if (view === 'dataset') return <DatasetView page={page} head={head} id={id} />;
  const etag = data.headers.get('etag') ?? '';
  return <FunctionCode key={etag} page={page} head={head} saved={data.data} etag={etag} reload={reload} />;
}
