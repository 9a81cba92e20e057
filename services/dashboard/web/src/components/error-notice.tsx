import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/client.ts';

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: () => void;
}

/** Says what failed and what to do. If only the operator can help, it shows the id to ask about. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} radius="md" role="alert">
      <Text size="sm">{messageOf(error)}</Text>
      {requestId !== null && (
        <Text size="xs" mt={4} className="break-anywhere">
          If it stays, ask your operator and name the request <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}

/** The text to show for whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError
    ? error.message
    : 'This page has run into a fault of its own. Reload it; if that does not help, tell your operator.';
}
