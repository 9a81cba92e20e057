import { Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { PERIOD_NAMES, utcDay } from './period.ts';
import type { UsageScope } from './use-usage-scope.ts';

const OPTIONS = Object.entries(PERIOD_NAMES).map(([value, label]) => ({ value, label }));
const DAY_MS = 86_400_000;

/** Chooses the period with a row of buttons, or a list on a phone, and two dates for a custom one. */
export function PeriodPicker({ choice, period, change }: Pick<UsageScope, 'choice' | 'period' | 'change'>) {
  const today = utcDay(Date.now());
  function choose(range: string): void {
    if (range !== 'custom') {
      change({ range, from: undefined, to: undefined });
      return;
    }
    // Starts with the dates of the current period.
    const from = period === undefined ? today : utcDay(period.fromMs);
    const to = period === undefined ? today : utcDay(Math.max(period.fromMs, period.toMs - DAY_MS));
    change({ range, from, to });
  }
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Period"
        data={OPTIONS}
        value={choice.kind}
        onChange={choose}
        visibleFrom="sm"
      />
      <NativeSelect
        label="Period"
        data={OPTIONS}
        value={choice.kind}
        onChange={(event) => choose(event.currentTarget.value)}
        hiddenFrom="sm"
      />
      {choice.kind === 'custom' && (
        <Group gap="sm" align="flex-end" grow preventGrowOverflow={false}>
          <DateField
            label="From"
            value={choice.from}
            max={today}
            onChange={(from) => change({ from }, { isTyping: true })}
          />
          <DateField
            label="To"
            value={choice.to}
            max={today}
            onChange={(to) => change({ to }, { isTyping: true })}
          />
        </Group>
      )}
      {choice.kind === 'custom' && period === undefined && (
        <Text size="sm" c="red" role="alert">
          Choose a first and a last day, at most a year apart. They cannot be in the future.
        </Text>
      )}
    </Stack>
  );
}

interface DateFieldProps {
  label: string;
  value: string;
  max: string;
  onChange: (value: string) => void;
}

function DateField({ label, value, max, onChange }: DateFieldProps) {
  return (
    <TextInput
      type="date"
      label={label}
      value={value}
      max={max}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
