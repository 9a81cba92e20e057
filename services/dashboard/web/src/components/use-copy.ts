import { useEffect, useState } from 'react';

export type CopyState = 'idle' | 'copied' | 'failed';

const SHOWN_MS = 2_000;

/**
 * Copies a text to the clipboard. For two seconds, the state says whether that worked.
 * @param onCopied called when the text is in the clipboard
 */
export function useCopy(value: string, onCopied?: () => void): [CopyState, () => void] {
  const [state, setState] = useState<CopyState>('idle');

  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
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

  return [state, () => void copy()];
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
  // The focus trap of an open dialog takes the focus from everything outside it.
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
