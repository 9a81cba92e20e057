import type { ResponseOf } from '../../../../wire/management.ts';
import { countOf } from '../../format/format-count.ts';

export type Credential = ResponseOf<'listCredentials'>['data'][number];

export const CREDENTIAL_STATES: Record<Credential['state'], { name: string; color: string }> = {
  set: { name: 'Set', color: 'green' },
  missing: { name: 'Missing', color: 'orange' },
  refused: { name: 'Refused', color: 'red' },
  unreadable: { name: 'Unreadable', color: 'red' },
  unknown: { name: 'Not known', color: 'gray' },
};

/** Says where a credential is set. */
export function describeSetting({ data_planes: planes, stored }: Credential): string {
  if (stored) return 'Stored, on every data plane';
  if (planes.length === 0) return 'No data plane is live';
  const set = planes.filter((plane) => plane.set === true).length;
  return `Variable, on ${set} of ${countOf(planes.length, 'data plane')}`;
}

/** Names the data planes that lack a credential. */
export function missingOn({ data_planes: planes }: Credential): string[] {
  return planes.filter(({ set }) => set === false).map(({ id }) => id);
}
