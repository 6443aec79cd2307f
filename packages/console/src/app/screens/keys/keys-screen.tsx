import type { ScreenProps } from '../../frame/screen.ts';
import { KeyDetail } from './key-detail.tsx';
import { KeyForm } from './key-form.tsx';
import { KeyList } from './key-list.tsx';

/** The API keys of the tenant, one of them, or the form for a new one. */
export default function KeysScreen({ path: [id] }: ScreenProps) {
  if (id === undefined) return <KeyList />;
  return id === 'new' ? <KeyForm /> : <KeyDetail id={id} />;
}
