import { Button, Group } from '@mantine/core';
import { IconCode, IconTrash } from '@tabler/icons-react';

interface ChatActionsProps {
  /** Undefined: the settings have a problem. */
  onShowCode: (() => void) | undefined;
  /** Undefined: there is nothing to clear, or it is still arriving. */
  onClear: (() => void) | undefined;
}

/** Shows the buttons above the conversation. */
export function ChatActions({ onShowCode, onClear }: ChatActionsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconCode size={16} aria-hidden />}
        disabled={onShowCode === undefined}
        onClick={onShowCode}
      >
        View code
      </Button>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconTrash size={16} aria-hidden />}
        disabled={onClear === undefined}
        onClick={onClear}
      >
        Start over
      </Button>
    </Group>
  );
}
