import { SimpleGrid, Stack } from '@mantine/core';
import { useParams } from 'react-router';
import type { Seat } from '../../../../wire/management.ts';
import { useManagement } from '../../api/use-management.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { Fact } from '../../components/fact.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { consolePaths } from '../../console-paths.ts';
import { KeysPanel } from '../panels/keys-panel.tsx';
import { ManagedRules } from '../panels/managed-rules.tsx';
import { PoolsPanel } from '../panels/pools-panel.tsx';
import { UsagePanel } from '../panels/usage-panel.tsx';

/** Shows everything about one seat of a team. */
export function SeatPage() {
  const { seatId = '' } = useParams();
  const seat = useManagement('getSeat', { path: { id: seatId } });
  const body = seat.data?.body;
  return (
    <>
      <BackLink to={body === undefined ? '/operate/accounts' : consolePaths.team(body.team_id)}>
        {body === undefined ? 'Accounts' : 'Team'}
      </BackLink>
      <PageHeader title="Seat" description={body && <Identifier id={body.email} />} />
      <QueryState query={seat} loading="Reading the seat" />
      {body !== undefined && <SeatDetails seat={body} />}
    </>
  );
}

function SeatDetails({ seat }: { seat: Seat }) {
  const { account_id, created_at, external_id, id, removed_at } = seat;
  return (
    <Stack gap="lg">
      <Panel title="About this seat">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
          <Fact label="Holder">
            <AccountLink id={account_id} />
          </Fact>
          <Fact label="Id">
            <Identifier id={id} withCopy />
          </Fact>
          <Fact label="External id">{external_id ?? 'None'}</Fact>
          <Fact label={removed_at === null ? 'Since' : 'Removed'}>
            <Moment ms={Date.parse(removed_at ?? created_at)} />
          </Fact>
        </SimpleGrid>
      </Panel>
      {removed_at === null && (
        <>
          <PoolsPanel owner={{ seat_id: id }} none="No pool of its own: the team pays." />
          <ManagedRules
            owner={{ kind: 'seat', id }}
            editTitle={`Rules of the seat of ${seat.email}`}
            noBudgets="This seat has no budget."
          />
          <KeysPanel owner={{ seat_id: id }} />
        </>
      )}
      <UsagePanel owner={{ seat_id: id }} />
    </Stack>
  );
}
