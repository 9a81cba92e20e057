import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react';
import classes from './identifier.module.css';
import { useCopy } from './use-copy.ts';

/** Longer ids lose their middle if there is no room for it. */
const ALWAYS_WHOLE = 22;
/** The end tells models apart: `…0929-v1:0`. */
const SHOWN_AT_END = 12;

interface IdentifierProps {
  id: string;
  /** Shows the copy button also for an id that is whole. */
  withCopy?: boolean;
}

/** Shows an id on one line. A long one may lose its middle and has a button that copies all of it. */
export function Identifier({ id, withCopy = false }: IdentifierProps) {
  const isLong = id.length > ALWAYS_WHOLE;
  return (
    <span className={classes.id} data-id={id} title={isLong ? id : undefined}>
      {isLong ? (
        <>
          <span className={classes.start}>{id.slice(0, -SHOWN_AT_END)}</span>
          <span className={classes.end}>{id.slice(-SHOWN_AT_END)}</span>
        </>
      ) : (
        id
      )}
      {(isLong || withCopy) && <CopyIcon id={id} />}
    </span>
  );
}

const ICONS = { idle: IconCopy, copied: IconCheck, failed: IconX };
const OUTCOMES = { idle: '', copied: 'Copied', failed: 'The browser refused to copy' };

function CopyIcon({ id }: { id: string }) {
  const [state, copy] = useCopy(id);
  const Icon = ICONS[state];
  return (
    <ActionIcon size={24} variant="subtle" aria-label={`Copy ${id}`} className={classes.copy} onClick={copy}>
      <Icon size={14} aria-hidden />
      <VisuallyHidden aria-live="polite">{OUTCOMES[state]}</VisuallyHidden>
    </ActionIcon>
  );
}
