import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** The next step. */
  children: ReactNode;
  action?: ReactNode;
}

/** Shown in place of a list that is still empty. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Paper withBorder p={{ base: 'md', sm: 'xl' }} radius="lg">
      <Stack align="center" gap="sm" py="lg">
        <ThemeIcon size={56} radius="xl" variant="light" aria-hidden>
          {icon}
        </ThemeIcon>
        <Title order={2} size="h3" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center" maw={460} component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
