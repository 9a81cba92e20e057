import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { Fact } from '../../components/fact.tsx';
import { Hint } from '../../components/hint.tsx';
import { cacheText } from '../../components/key-cache.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { TagList } from '../../components/tag-list.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { LimitMeter } from '../usage/limit-meter.tsx';
import { useLimits } from '../usage/use-limits.ts';

/** Shows what a key has used, its tags and cache, and how much of its limits it uses right now. */
export function KeyFactsPanel({ apiKey }: { apiKey: KeyEntry }) {
  const { cache, id, createdAtMs, lastUsedAtMs, requestsThisMonth, seat, tags } = apiKey;
  const limits = useLimits().data?.keys.find(({ keyId }) => keyId === id)?.limits ?? [];
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Panel title="About this key">
        <Fact label="Billed to">{seat === null ? 'Your account' : `Team ${seat.teamName}`}</Fact>
        <Fact label="Tags of its requests">
          {Object.keys(tags).length === 0 ? 'None' : <TagList tags={tags} />}
        </Fact>
        <Fact label="Cache">{cacheText(cache)}</Fact>
        <Fact label="Created">
          <Moment form="full" ms={createdAtMs} />
        </Fact>
        <Fact label="Last used">{lastUsedAtMs === null ? 'Not yet' : <Moment ms={lastUsedAtMs} />}</Fact>
        <Fact label="Requests this month (UTC)">{formatCount(requestsThisMonth)}</Fact>
        <Text size="sm">
          <TextLink to={usagePath(id, seat?.id)}>Requests of this key</TextLink>
        </Text>
      </Panel>
      <Panel title="Limits" description="How much of its limits the key uses right now.">
        {limits.length === 0 && <Hint>Only active keys have limits.</Hint>}
        <Stack gap="sm">
          {limits.map((limit) => (
            <LimitMeter key={limit.name} limit={limit} />
          ))}
        </Stack>
      </Panel>
    </SimpleGrid>
  );
}

function usagePath(keyId: string, seatId: string | undefined): string {
  const query = new URLSearchParams({ key: keyId, ...(seatId === undefined ? {} : { seat: seatId }) });
  return `/dashboard/usage?${query}`;
}
