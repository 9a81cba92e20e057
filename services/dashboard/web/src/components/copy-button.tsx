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

/** Puts a text into the clipboard, and tells whether that has worked. */
export function CopyButton({ value, label, onCopied, variant = 'default', size = 'xs' }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');

  useEffect(() => {
    if (state === 'idle') {
      return;
    }
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

  const said = { idle: label, copied: 'Copied', failed: 'Select it and copy by hand' }[state];
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
      <span aria-live="polite">{said}</span>
    </Button>
  );
}

/** The clipboard API exists on secure origins only, and a dashboard in a private network may not be one. */
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
  // In a dialog, if one is open: that takes the focus away from everything outside.
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
