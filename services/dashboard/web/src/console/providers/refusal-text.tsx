import { Text } from '@mantine/core';
import { Moment } from '../../components/moment.tsx';
import { countOf } from '../../format/format-count.ts';
import type { Credential } from './credential-words.ts';

type Refusal = Omit<Credential['refusals'][number], 'provider'>;

/** Says how often and since when a provider refuses a credential. */
export function RefusalText({ provider, refusal }: { provider: string; refusal: Refusal }) {
  const { data_planes: planes, http_status: status, models, refusals } = refusal;
  return (
    <Text size="sm" c="var(--mantine-color-error)" className="break-anywhere">
      {provider} refused it {countOf(refusals, 'time')}
      {status !== null && ` with ${status}`}: first <Moment ms={Date.parse(refusal.since)} />, last{' '}
      <Moment ms={Date.parse(refusal.last_refused_at)} />, on {countOf(planes.length, 'data plane')}
      {models.length > 0 && `, for ${models.join(', ')}`}.
    </Text>
  );
}
