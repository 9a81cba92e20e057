import { Paper, Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { Moment } from '../../components/moment.tsx';
import { formatCount } from '../../format/format-count.ts';
import { KeyLastUse, KeyPayer, KeyPrefix, KeyStatus, RevokeButton } from './key-parts.tsx';

interface KeyListProps {
  keys: readonly KeyEntry[];
  onRevoke: (key: KeyEntry) => void;
}

/** Shows the keys on a laptop. */
export function KeyTable({ keys, onRevoke }: KeyListProps) {
  return (
    <Paper withBorder px="sm" py={4}>
      <Table verticalSpacing="sm" horizontalSpacing="sm">
        <caption>
          <VisuallyHidden>Your API keys</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            <Heading>Name</Heading>
            <Heading>Key</Heading>
            <Heading>Billed to</Heading>
            <Heading>Created</Heading>
            <Heading>Last used</Heading>
            <Heading isRight>Requests this month (UTC)</Heading>
            <Heading>Status</Heading>
            <Heading>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Heading>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id} {...(key.revokedAtMs === null ? {} : { c: 'dimmed' })}>
              <Table.Th scope="row" maw={240}>
                <Text size="sm" fw={600} className="break-anywhere" lineClamp={2} title={key.name}>
                  {key.name}
                </Text>
              </Table.Th>
              <Table.Td>
                <KeyPrefix apiKey={key} />
              </Table.Td>
              <Table.Td maw={160} className="break-anywhere">
                <KeyPayer apiKey={key} />
              </Table.Td>
              <Table.Td>
                <Moment ms={key.createdAtMs} />
              </Table.Td>
              <Table.Td>
                <KeyLastUse apiKey={key} />
              </Table.Td>
              <Table.Td ta="right">{formatCount(key.requestsThisMonth)}</Table.Td>
              <Table.Td>
                <KeyStatus apiKey={key} />
              </Table.Td>
              <Table.Td ta="right">
                <RevokeButton apiKey={key} onRevoke={onRevoke} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Heading({ children, isRight = false }: { children: ReactNode; isRight?: boolean }) {
  return (
    <Table.Th scope="col" ta={isRight ? 'right' : 'left'}>
      <Text span size="xs" fw={600} c="dimmed" {...(isRight ? {} : { className: 'no-wrap' })}>
        {children}
      </Text>
    </Table.Th>
  );
}
