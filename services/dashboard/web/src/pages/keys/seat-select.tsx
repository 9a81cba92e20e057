import { NativeSelect } from '@mantine/core';
import { useKeys } from './use-keys.ts';

interface SeatSelectProps {
  label: string;
  /** The id of a seat; undefined: the account itself. */
  value: string | undefined;
  onChange: (seatId: string | undefined) => void;
  /** The label of a value that is not one of the account's seats. */
  otherLabel?: string;
  disabled?: boolean;
}

/** Chooses between the account and its seats. It shows nothing if there are no seats. */
export function SeatSelect({
  label,
  value,
  onChange,
  otherLabel = 'A seat that you do not have',
  disabled = false,
}: SeatSelectProps) {
  const keys = useKeys();
  const seats = keys.data?.seats ?? [];
  if (seats.length === 0 && value === undefined) return null;
  // A link may lead to somebody else's seat, or to one that is gone.
  const isOther = keys.data !== undefined && value !== undefined && !seats.some(({ id }) => id === value);
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      disabled={disabled}
      data={[
        { value: '', label: 'Your account' },
        ...seats.map(({ id, teamName }) => ({ value: id, label: `Seat in ${teamName}` })),
        ...(isOther ? [{ value, label: otherLabel }] : []),
      ]}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
