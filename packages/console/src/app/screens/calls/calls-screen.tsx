import type { ScreenProps } from '../../frame/screen.ts';
import { CallDetail } from './call-detail.tsx';
import { CallList } from './call-list.tsx';

/** Calls and executions, or how one of them was answered. */
export default function CallsScreen({ path: [id], query }: ScreenProps) {
  return id === undefined ? <CallList filter={query} /> : <CallDetail key={id} id={id} />;
}
