import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

interface CopyButtonProps {
  value: string;
  /** Names what is copied, as in "Copy key". */
  label: string;
  /** Called when the text is in the clipboard. */
  onCopied?: () => void;
  variant?: 'default' | 'filled' | 'subtle' | 'light';
  size?: 'xs' | 'sm' | 'md';
}

const shownMs = 2_000;

/** Copies a text to the clipboard and shows whether that worked. */
export function CopyButton({ value, label, onCopied, variant = 'default', size = 'xs' }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');

  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), shownMs);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(): Promise<void> {
    try {
      await writeToClipboard(value);
      setState('copied');
      onCopied?.();
    } catch {
      setState('failed');
    }
  }

  const text = { idle: label, copied: 'Copied', failed: 'Select it and copy by hand' }[state];
  return (
    <Button
      size={size}
      variant={variant}
      color={state === 'failed' ? 'red' : 'brand'}
      leftSection={
        state === 'copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
      }
      onClick={() => void copy()}
    >
      <span aria-live="polite">{text}</span>
    </Button>
  );
}

/** Falls back to execCommand: the clipboard API needs HTTPS, which a private network may not have. */
async function writeToClipboard(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.className = 'offscreen';
  const focused = document.activeElement;
  // Inside an open dialog, because its focus trap takes the focus from everything outside.
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) {
    focused.focus();
  }
  if (!copied) {
    throw new Error('The browser refused to copy.');
  }
}
