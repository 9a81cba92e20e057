import { Box, Paper, SimpleGrid, Text } from '@mantine/core';
import type { RequestEntry } from '../../../../wire/requests.ts';
import type { UsageSums } from '../../../../wire/usage.ts';
import { formatCountShort } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { failuresOf } from './failures-of.ts';
import classes from './usage.module.css';

interface HeadlineFiguresProps {
  totals: UsageSums;
  /** The newest requests; undefined: not known. */
  recent: readonly RequestEntry[] | undefined;
}

/** Shows spend, requests, tokens and failures. */
export function HeadlineFigures({ totals, recent }: HeadlineFiguresProps) {
  const tokens = totals.inputTokens + totals.outputTokens;
  return (
    <SimpleGrid component="dl" cols={{ base: 2, md: 4 }} spacing="md" m={0}>
      <Figure label="Spend" value={formatUsd(totals.costUsd)} hint={averageOf(totals)} />
      <Figure
        label="Requests"
        value={formatCountShort(totals.requests)}
        hint={totals.requests === 0 ? 'None yet' : 'That reached a provider'}
      />
      <Figure
        label="Tokens"
        value={formatCountShort(tokens)}
        hint={`${formatCountShort(totals.inputTokens)} in, ${formatCountShort(totals.outputTokens)} out`}
      />
      {recent !== undefined && <Figure label="Failed" {...failuresOf(recent)} />}
    </SimpleGrid>
  );
}

function averageOf({ costUsd, requests }: UsageSums): string {
  return requests === 0 ? 'Nothing to pay' : `${formatUsd(String(Number(costUsd) / requests))} per request`;
}

function Figure({ label, value, hint }: { label: string; value: string; hint: string }) {
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }}>
      <Text component="dt" size="sm" c="dimmed" fw={500}>
        {label}
      </Text>
      <Box component="dd" m={0}>
        <Text span fz={{ base: 22, sm: 28 }} fw={700} lh={1.3} className={classes.number}>
          {value}
        </Text>
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      </Box>
    </Paper>
  );
}
