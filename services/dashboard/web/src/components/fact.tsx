import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './fact.module.css';
import { Hint } from './hint.tsx';

/** Shows a value below its name. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <Hint>{label}</Hint>
      <Text component="div" className="break-anywhere">
        {children}
      </Text>
    </div>
  );
}
