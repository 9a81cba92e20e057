import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface OperatorCommandProps {
  /** The arguments of gatewayctl. */
  command: string;
  children: ReactNode;
}

/** Says that only the operator can do this, and shows the command to send to them. */
export function OperatorCommand({ command, children }: OperatorCommandProps) {
  const line = `gatewayctl ${command}`;
  return (
    <Stack gap={6} role="note" align="flex-start" maw="100%">
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
      <Group gap="xs" maw="100%">
        <Code className="break-anywhere" fz="sm">
          {line}
        </Code>
        <CopyButton value={line} label="Copy command" variant="subtle" />
      </Group>
    </Stack>
  );
}
