import { Button } from '@mantine/core';

interface RemovalButtonProps {
  /** Says what its word is about: "Revoke CI". */
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: string;
}

/** The button in a row of a table that removes what the row shows. */
export function RemovalButton({ label, ...props }: RemovalButtonProps) {
  return <Button size="xs" variant="subtle" color="red" aria-label={label} {...props} />;
}
