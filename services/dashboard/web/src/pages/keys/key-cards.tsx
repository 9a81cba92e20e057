import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { Moment } from '../../components/moment.tsx';
import { formatCount } from '../../format/format-count.ts';
import { KeyLastUse, KeyPayer, KeyPrefix, KeyStatus, RevokeButton } from './key-parts.tsx';

interface KeyCardsProps {
  keys: readonly KeyEntry[];
  onRevoke: (key: KeyEntry) => void;
}

/** Shows the keys on a phone. */
export function KeyCards({ keys, onRevoke }: KeyCardsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} component="ul" aria-label="Your API keys" className="plain-list">
      {keys.map((key) => (
        <Paper
          key={key.id}
          withBorder
          p="md"
          component="li"
          {...(key.revokedAtMs === null ? {} : { c: 'dimmed' })}
        >
          <Stack gap="sm">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Text fw={600} className="break-anywhere">
                {key.name}
              </Text>
              <KeyStatus apiKey={key} />
            </Group>
            <Group>
              <KeyPrefix apiKey={key} />
            </Group>
            <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs" component="dl" m={0}>
              <Fact label="Last used">
                <KeyLastUse apiKey={key} />
              </Fact>
              <Fact label="Requests this month (UTC)">{formatCount(key.requestsThisMonth)}</Fact>
              <Fact label="Created">
                <Moment ms={key.createdAtMs} />
              </Fact>
              <Fact label="Billed to">
                <KeyPayer apiKey={key} />
              </Fact>
            </SimpleGrid>
            <Group justify="flex-end">
              <RevokeButton apiKey={key} onRevoke={onRevoke} />
            </Group>
          </Stack>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed" component="dt">
        {label}
      </Text>
      <Text size="sm" component="dd" m={0} className="break-anywhere">
        {children}
      </Text>
    </div>
  );
}
