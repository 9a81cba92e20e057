import { Button, Group, Text, Textarea } from '@mantine/core';
import { IconPlayerStopFilled, IconSend } from '@tabler/icons-react';
import type { KeyboardEvent, RefObject } from 'react';
import classes from './playground.module.css';

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  isStreaming: boolean;
  /** True before the first message. */
  isIdle: boolean;
  /** Why nothing can be sent; undefined: sending is possible. */
  obstacle: string | undefined;
  onSend: () => void;
  onStop: () => void;
}

/** Shows the field for the next message. Enter sends it, Shift + Enter starts a new line. */
export function Composer(props: ComposerProps) {
  const { text, onChange, field, isStreaming, isIdle, obstacle, onSend, onStop } = props;
  const canSend = text.trim() !== '' && obstacle === undefined && !isStreaming;
  function sendOnEnter(event: KeyboardEvent): void {
    // While an IME composes a character, Enter selects it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend();
  }
  return (
    <form
      className={classes.composer}
      data-idle={isIdle || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
    >
      <Textarea
        ref={field}
        aria-label="Message"
        placeholder="Ask something"
        value={text}
        rows={2}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
        classNames={{ input: classes.field }}
      />
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {obstacle ?? (
            <span className={classes.keys}>Press Enter to send, Shift + Enter for a new line.</span>
          )}
        </Text>
        {isStreaming ? (
          <Button
            type="button"
            flex="none"
            color="red"
            variant="light"
            leftSection={<IconPlayerStopFilled size={16} aria-hidden />}
            onClick={onStop}
          >
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            flex="none"
            disabled={!canSend}
            leftSection={<IconSend size={16} aria-hidden />}
          >
            Send
          </Button>
        )}
      </Group>
    </form>
  );
}
