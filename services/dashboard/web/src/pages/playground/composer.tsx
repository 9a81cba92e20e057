import { ActionIcon, Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { IconPhotoPlus, IconPlayerStopFilled, IconSend } from '@tabler/icons-react';
import { type KeyboardEvent, type RefObject, useRef } from 'react';
import { PictureList } from './picture-list.tsx';
import { PICTURE_TYPES } from './picture-problem.ts';
import classes from './playground.module.css';
import { type Pictures, picturesAmong } from './use-pictures.ts';

interface ComposerProps {
  text: string;
  onChange: (text: string) => void;
  pictures: Pictures;
  /** False: the model reads only text. */
  readsPictures: boolean;
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
  const { text, onChange, pictures, readsPictures, field, isStreaming, isIdle, onSend, onStop } = props;
  const reset = useRef<() => void>(null);
  const obstacle = props.obstacle ?? pictures.problem ?? pictureObstacle(pictures, readsPictures);
  const isEmpty = text.trim() === '' && pictures.list.length === 0;
  const canSend = !isEmpty && (obstacle === undefined || obstacle === pictures.problem) && !isStreaming;
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
      <PictureList pictures={pictures.list} onRemove={pictures.remove} />
      <Textarea
        ref={field}
        aria-label="Message"
        placeholder="Ask something"
        value={text}
        rows={2}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
        onPaste={({ clipboardData }) => {
          // Office programs add a picture of the text that they copy.
          const isText = clipboardData.types.includes('text/plain');
          if (readsPictures && !isText) pictures.add(picturesAmong(clipboardData.files));
        }}
        classNames={{ input: classes.field }}
      />
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Group gap="xs" wrap="nowrap">
          {readsPictures && (
            <FileButton
              multiple
              accept={PICTURE_TYPES.join(',')}
              resetRef={reset}
              onChange={(files) => {
                pictures.add(files);
                // Lets the user choose a removed file again.
                reset.current?.();
              }}
            >
              {(button) => (
                <ActionIcon variant="default" size="lg" aria-label="Attach images" {...button}>
                  <IconPhotoPlus size={18} aria-hidden />
                </ActionIcon>
              )}
            </FileButton>
          )}
          <Text size="xs" c="dimmed" role="status">
            {obstacle ?? (
              <span className={classes.keys}>Press Enter to send, Shift + Enter for a new line.</span>
            )}
          </Text>
        </Group>
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

function pictureObstacle({ list }: Pictures, readsPictures: boolean): string | undefined {
  return list.length === 0 || readsPictures
    ? undefined
    : 'This model reads no images. Remove them, or choose another model.';
}
