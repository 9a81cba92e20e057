import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface HintProps extends TextProps {
  component?: 'div' | 'dt' | 'p';
  role?: string;
  children: ReactNode;
}

/** Shows a small dimmed text. */
export function Hint({ component = 'p', ...props }: HintProps) {
  return <Text component={component} size="sm" c="dimmed" {...props} />;
}
