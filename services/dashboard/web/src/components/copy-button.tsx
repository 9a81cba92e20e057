import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from './use-copy.ts';

interface CopyButtonProps {
  value: string;
  /** Names what is copied, as in "Copy key". */
  label: string;
  /** Called when the text is in the clipboard. */
  onCopied?: () => void;
  variant?: 'default' | 'filled' | 'subtle' | 'light';
  size?: 'xs' | 'sm' | 'md';
}

/** Copies a text to the clipboard and shows whether that worked. */
export function CopyButton({ value, label, onCopied, variant = 'default', size = 'xs' }: CopyButtonProps) {
  const [state, copy] = useCopy(value, onCopied);
  const text = { idle: label, copied: 'Copied', failed: 'Select it and copy by hand' }[state];
  return (
    <Button
      size={size}
      variant={variant}
      color={state === 'failed' ? 'red' : 'brand'}
      leftSection={
        state === 'copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
      }
      onClick={copy}
    >
      <span aria-live="polite">{text}</span>
    </Button>
  );
}
