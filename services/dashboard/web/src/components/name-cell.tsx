import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shows a name in a cell of a table, and a detail in smaller letters below it. */
export function NameCell({ children, detail }: { children: ReactNode; detail: ReactNode }) {
  return (
    <span className="cell-name">
      {children}
      <Text span size="xs" c="dimmed" display="block">
        {detail}
      </Text>
    </span>
  );
}
