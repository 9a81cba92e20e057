import { omitAbsent } from '../omit-absent.ts';
import type { ReceiptRow } from './usage-store.ts';

export function labelsMessage({ endUser, session, tags }: Pick<ReceiptRow, 'tags' | 'endUser' | 'session'>) {
  return { tags: tags ?? {}, ...omitAbsent({ endUser, session }) };
}
