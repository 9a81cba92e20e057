import { Box, Paper, SimpleGrid, Text } from '@mantine/core';
import { formatCountShort, formatShare } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { type Change, describeChange } from './describe-change.ts';
import type { Figures, Overview } from './use-overview.ts';

/** Shows the figures of the whole gateway with their change against the week before. */
export function HeadlineFigures({ totals: { now, previous } }: { totals: Overview['totals'] }) {
  const errors = describeChange(now.error_rate, previous?.error_rate, 'less');
  return (
    <SimpleGrid component="dl" cols={{ base: 2, md: 3, xl: 6 }} spacing="md" m={0}>
      <Figure
        label="Requests"
        value={formatCountShort(now.requests)}
        change={describeChange(now.requests, previous?.requests)}
      />
      <Figure
        label="Charged"
        value={formatUsd(now.charged_usd)}
        change={describeChange(Number(now.charged_usd), previous && Number(previous.charged_usd))}
      />
      <Figure
        label="Margin"
        value={formatUsd(now.margin_usd)}
        detail={`Cost ${formatUsd(now.cost_usd)}`}
        change={describeChange(Number(now.margin_usd), previous && Number(previous.margin_usd))}
      />
      <Figure
        label="Errors"
        value={now.error_rate === null ? 'None yet' : formatShare(now.error_rate)}
        detail={`${formatCountShort(now.errors)} failed`}
        change={errors}
      />
      <TimeFigure label="Latency" times={now.latency_ms} before={previous?.latency_ms} />
      <TimeFigure
        label="Time to first token"
        times={now.time_to_first_token_ms}
        before={previous?.time_to_first_token_ms}
      />
    </SimpleGrid>
  );
}

interface TimeFigureProps {
  label: string;
  times: Figures['latency_ms'];
  before: Figures['latency_ms'] | undefined;
}

function TimeFigure({ before, label, times }: TimeFigureProps) {
  return (
    <Figure
      label={label}
      value={times === null ? 'None yet' : formatDuration(times.p50)}
      {...(times !== null && { detail: `p50; p95 ${formatDuration(times.p95)}` })}
      change={describeChange(times?.p50, before?.p50, 'less')}
    />
  );
}

interface FigureProps {
  label: string;
  value: string;
  detail?: string;
  change: Change | undefined;
}

function Figure({ change, detail, label, value }: FigureProps) {
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }}>
      <Text component="dt" size="sm" c="dimmed" fw={500}>
        {label}
      </Text>
      <Box component="dd" m={0}>
        <Text span fz={{ base: 20, sm: 26 }} fw={700} lh={1.3} className="no-wrap">
          {value}
        </Text>
        {detail !== undefined && (
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        )}
        <Text size="xs" c={change?.isGood === false ? 'red' : 'dimmed'}>
          {change?.text ?? 'Nothing to compare with yet'}
        </Text>
      </Box>
    </Paper>
  );
}
