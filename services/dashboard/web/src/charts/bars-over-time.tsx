import { Paper, Text } from '@mantine/core';
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import classes from './bars-over-time.module.css';
import { type BucketWidth, bucketLabel } from './bucket-label.ts';
import { timeTicks } from './time-ticks.ts';
import { valueTicks } from './value-ticks.ts';

export interface TimeBar {
  startMs: number;
  value: number;
}

export interface BarsOverTimeProps {
  bars: readonly TimeBar[];
  width: BucketWidth;
  /** The text alternative for screen readers. */
  description: string;
  color: string;
  format: (value: number) => string;
  formatAxis: (value: number) => string;
  /** The values are whole numbers, such as requests. */
  isWhole?: boolean;
}

/** Draws a bar per bucket. Import LazyBarsOverTime instead: Recharts is as big as the rest of the site. */
export function BarsOverTime({
  bars,
  width,
  description,
  color,
  format,
  formatAxis,
  isWhole = false,
}: BarsOverTimeProps) {
  const values = valueTicks(Math.max(0, ...bars.map(({ value }) => value)), isWhole);
  const highest = values.at(-1) ?? 0;
  return (
    <div role="img" aria-label={description} className={classes.frame}>
      <BarChart
        data={bars}
        responsive
        style={{ width: '100%', height: '100%' }}
        margin={{ top: 8, right: 20, bottom: 0, left: 0 }}
        accessibilityLayer={false}
        barCategoryGap="18%"
      >
        <CartesianGrid vertical={false} stroke="var(--mantine-color-default-border)" strokeDasharray="3 4" />
        <XAxis
          dataKey="startMs"
          tickFormatter={(startMs: number) => bucketLabel(startMs, width, false)}
          tick={TICK}
          tickLine={false}
          axisLine={{ stroke: 'var(--mantine-color-default-border)' }}
          ticks={timeTicks(
            bars.map(({ startMs }) => startMs),
            width,
          )}
          interval="preserveEnd"
          minTickGap={12}
        />
        <YAxis
          tickFormatter={formatAxis}
          tick={TICK}
          tickLine={false}
          axisLine={false}
          width={VALUES_WIDTH}
          ticks={values}
          interval={0}
          domain={[0, highest || 1]}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--mantine-color-default-hover)' }}
          content={({ active, payload }) => {
            const bar = barOf(payload?.[0]?.payload);
            if (!active || bar === undefined) return null;
            return (
              <Paper withBorder shadow="sm" radius="md" px="sm" py={6}>
                <Text size="xs" c="dimmed">
                  {bucketLabel(bar.startMs, width, true)}
                  {width !== 'day' && ` (${bucketLabel(bar.startMs, width, true, 'UTC')} UTC)`}
                </Text>
                <Text size="sm" fw={600}>
                  {format(bar.value)}
                </Text>
              </Paper>
            );
          }}
        />
        {/* No animation: the figures refresh every few seconds. */}
        <Bar dataKey="value" fill={color} radius={[4, 4, 0, 0]} maxBarSize={36} isAnimationActive={false} />
      </BarChart>
    </div>
  );
}

/** Fits `$0.000025`. The same in every chart, so that the bars of charts on top of each other line up. */
const VALUES_WIDTH = 68;
const TICK = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 };

function barOf(payload: unknown): TimeBar | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  if (!('startMs' in payload) || !('value' in payload)) return undefined;
  const { startMs, value } = payload;
  return typeof startMs === 'number' && typeof value === 'number' ? { startMs, value } : undefined;
}
