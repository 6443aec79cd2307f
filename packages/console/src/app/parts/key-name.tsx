import { useConsole } from '../frame/console-context.ts';
import { linkTo } from '../frame/router.ts';
import { useLoad } from '../frame/use-load.ts';

/** Principals that are not stored keys. */
const unstored = new Set(['key_bootstrap']);

/** The name of a key, as a link. Its id if the caller may not read keys, or if the id does not belong to a key. */
export function KeyName({ id }: { readonly id: string }) {
  const { api } = useConsole();
  const isReadable = api.may('getKey') && id.startsWith('key_') && !unstored.has(id);
  const { data } = useLoad(
    async (signal) => {
      if (!isReadable) return undefined;
      return (await api.call('getKey', { path: { id }, signal }).catch(() => undefined))?.name;
    },
    [id, isReadable],
  );
  return isReadable ? (
    <a href={linkTo(['keys', id])} title={id}>
      {data ?? id}
    </a>
  ) : (
    <span>{id}</span>
  );
}
