import { useConsole } from '../../frame/console-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { FunctionDetail } from './function-detail.tsx';
import { FunctionList } from './function-list.tsx';
import { NewFunction } from './new-function.tsx';
import { ObservedNames } from './observed-names.tsx';

/** The functions of the tenant, one of them with its views, or the names that callers use without a function. */
export default function FunctionsScreen({ path, query }: ScreenProps) {
  const { api } = useConsole();
  const [id, view = 'code', part] = path;
  if (id === undefined || (id === 'new' && !api.may('createFunction')))
    return <FunctionList search={query['q'] ?? ''} />;
  if (id === 'new') return <NewFunction />;
  if (id === 'names') return <ObservedNames />;
  return <FunctionDetail key={id} id={id} view={view} part={part} query={query} />;
}
