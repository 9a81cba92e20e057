import { Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useLastError } from '../../api/use-last-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { countOf } from '../../format/format-count.ts';
import { shellWord } from '../../format/shell-word.ts';
import { OperatorHelp } from '../../session/operator-help.tsx';
import { useSession } from '../../session/use-session.ts';
import { useKeys } from '../keys/use-keys.ts';
import { LimitMeter } from './limit-meter.tsx';
import { sortByUse } from './sort-by-use.ts';
import { useLimits } from './use-limits.ts';

const SHOWN_AT_FIRST = 4;

/**
 * Shows the current use of limits, the busiest keys first.
 * @param seatId undefined: keys that the account pays for
 */
export function LimitsPanel({ seatId }: { seatId: string | undefined }) {
  return (
    <FoldingPanel
      name="limits"
      isFoldedOnPhone
      title="Limits"
      description={
        seatId === undefined
          ? 'How much of their limits your keys use right now, the busiest first.'
          : 'How much of their limits your keys on this seat use right now, the busiest first.'
      }
    >
      <Limits seatId={seatId} />
    </FoldingPanel>
  );
}

function Limits({ seatId }: { seatId: string | undefined }) {
  const limits = useLimits();
  const allKeys = useKeys();
  const limitsError = useLastError(limits);
  const keysError = useLastError(allKeys);
  const error = limitsError ?? keysError;
  const [isWhole, setWhole] = useState(false);
  const payers = new Map(allKeys.data?.keys.map(({ id, seat }) => [id, seat?.id]));
  // A new key is in `limits` before it is in `allKeys`.
  const known = allKeys.data && limits.data?.keys.filter(({ keyId }) => payers.has(keyId));
  const keys = known && sortByUse(known.filter(({ keyId }) => payers.get(keyId) === seatId));
  const elsewhere = (known?.length ?? 0) - (keys?.length ?? 0);
  return (
    <>
      {error !== null && (
        <ErrorNotice error={error} onRetry={() => void Promise.all([limits.refetch(), allKeys.refetch()])} />
      )}
      {keys === undefined && error === null && <PageLoading label="Reading the limits" />}
      {keys?.length === 0 && (
        <Hint>
          {seatId === undefined
            ? 'Limits apply per key, and you have no active key.'
            : 'Limits apply per key, and you have no active key on this seat.'}{' '}
          <TextLink to="/dashboard/api-keys">Create a key</TextLink>
        </Hint>
      )}
      {keys !== undefined && keys.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          {(isWhole ? keys : keys.slice(0, SHOWN_AT_FIRST)).map((key) => (
            <Paper key={key.keyId} withBorder radius="md" p="md">
              <Stack gap="sm">
                <Text fw={600} size="sm">
                  {key.name}
                </Text>
                {key.limits.map((limit) => (
                  <LimitMeter key={limit.name} limit={limit} />
                ))}
              </Stack>
            </Paper>
          ))}
        </SimpleGrid>
      )}
      {keys !== undefined && keys.length > SHOWN_AT_FIRST && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${keys.length} keys`}
        </Button>
      )}
      {elsewhere > 0 && (
        <Hint>
          {countOf(elsewhere, 'more key')} {elsewhere === 1 ? 'is' : 'are'} billed elsewhere: choose under
          “Whose usage” above.
        </Hint>
      )}
      {seatId === undefined && keys !== undefined && keys.length > 0 && <HigherLimits />}
    </>
  );
}

/** Says how to get higher limits from the operator. */
function HigherLimits() {
  const email = useSession().data?.user?.email;
  if (email === undefined) return null;
  return (
    <OperatorHelp
      command={`limits set --account ${shellWord(email)} --free-per-minute 600 --paid-per-minute 600`}
      forCustomers="Ask the operator of this site for higher limits."
    >
      Only the operator of this gateway can change your limits, for example with
    </OperatorHelp>
  );
}
