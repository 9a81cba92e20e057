import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Hint } from './hint.tsx';

/** Shows a value below its name. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Hint>{label}</Hint>
      <Text component="div" className="break-anywhere">
        {children}
      </Text>
    </div>
  );
}
