import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface OperatorCommandProps {
  /** Of gatewayctl, without that word. */
  command: string;
  /** What only the operator can do; the command follows. */
  children: ReactNode;
}

/** Says that something is the operator's to do, and the line to send them: nobody has to look for it first. */
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
