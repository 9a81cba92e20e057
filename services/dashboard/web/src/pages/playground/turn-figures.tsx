import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { formatDuration } from '../../format/format-duration.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { useNow } from '../../format/use-now.ts';
import { useReceipt } from '../receipt/use-receipt.ts';
import { formatUnits } from '../usage/format-units.ts';
import type { ChatTurn } from './chat-turn.ts';

const TICK_MS = 100;

/** Shows how long a response took and, once it is settled, what it cost. */
export function TurnFigures({ turn }: { turn: ChatTurn }) {
  const { state, firstTokenMs, totalMs, requestId } = turn;
  return (
    <Group gap="xs" c="dimmed" fz="xs">
      {firstTokenMs !== undefined && <span>First token {formatDuration(firstTokenMs)}</span>}
      {state === 'streaming' ? (
        <Elapsed sinceMs={turn.startedAtMs} />
      ) : (
        totalMs !== undefined && <span>Total {formatDuration(totalMs)}</span>
      )}
      {state !== 'streaming' && requestId !== undefined && <Cost requestId={requestId} />}
    </Group>
  );
}

function Elapsed({ sinceMs }: { sinceMs: number }) {
  useNow(TICK_MS);
  return <span aria-hidden="true">Total {((performance.now() - sinceMs) / 1000).toFixed(1)} s</span>;
}

function Cost({ requestId }: { requestId: string }) {
  const receipt = useReceipt(requestId);
  return (
    <>
      {receipt.data !== undefined && (
        <>
          {formatUnits(receipt.data.units) !== '' && <span>Tokens {formatUnits(receipt.data.units)}</span>}
          <Text span inherit fw={600}>
            {receipt.data.priceVersion === null ? 'Free' : formatUsd(receipt.data.chargedUsd)}
          </Text>
        </>
      )}
      {receipt.isPending && <span>Settling the cost…</span>}
      {receipt.isError && <span>The cost is not settled yet</span>}
      <Anchor component={Link} to={`/dashboard/usage/requests/${requestId}`} inherit>
        Receipt
      </Anchor>
    </>
  );
}
