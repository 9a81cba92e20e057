import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/client.ts';

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: () => void;
}

/** Shows an error message, and for a 5xx the request id for the operator; nothing without an error. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  if (error === undefined || error === null) return null;
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} radius="md" role="alert">
      <Text size="sm">{messageOf(error)}</Text>
      {requestId !== null && (
        <Text size="xs" mt={4} className="break-anywhere">
          If the error persists, send your operator this request ID: <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            {isFinal(error) ? 'Send to the chosen model' : 'Try again'}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

/** Returns true if the same request would fail again; with another model it may succeed. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 500 && error.isRetryUseless;
}

/** Returns the message to show for anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError
    ? error.message
    : 'This page failed. Reload it. If it fails again, tell your operator.';
}
