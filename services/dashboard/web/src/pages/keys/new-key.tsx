import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { CreateKeyResponse } from '../../../../wire/keys.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Hint } from '../../components/hint.tsx';
import { DocsLink } from '../../session/docs-link.tsx';
import classes from './new-key.module.css';
import { SnippetTabs } from './snippet-tabs.tsx';

interface NewKeyProps {
  created: CreateKeyResponse;
  onDone: () => void;
}

/** Shows a raw key, the only time that it can be seen. */
export function NewKey({ created, onDone }: NewKeyProps) {
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const start = useRef<HTMLDivElement>(null);
  const { rawKey, key } = created;

  useEffect(() => start.current?.focus(), []);

  useEffect(() => {
    if (isCopied) return;
    // Makes the browser ask before the tab closes, which would lose the key.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isCopied]);

  return (
    <Stack gap="md">
      <div ref={start} tabIndex={-1} className={classes.start}>
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="Copy it now" role="note">
          This is the only time that the key “{key.name}” is shown. Once you close this dialog, nobody can
          show it again.
        </Alert>
      </div>
      <Group gap="sm" align="center" className={classes.keyRow}>
        <Code className={classes.key} aria-label="API key" role="textbox" aria-readonly tabIndex={0}>
          {rawKey}
        </Code>
        <CopyButton
          value={rawKey}
          label="Copy key"
          variant="filled"
          size="md"
          onCopied={() => setCopied(true)}
        />
      </Group>
      <Text fw={600} component="h3" mt="xs">
        Try it
      </Text>
      <SnippetTabs rawKey={rawKey} onCopied={() => setCopied(true)} />
      <Hint>
        Other clients:{' '}
        <Anchor href="/dashboard/first-request" target="_blank" inherit underline="always">
          First request
        </Anchor>
        . Everything else: <DocsLink />.
      </Hint>
      <div aria-live="polite">
        {isAsking && (
          <Alert color="red" title="You have not copied the key" role="alert">
            <Text size="sm">It cannot be shown again. Copy it, or confirm that you have saved it.</Text>
            <Group mt="sm" gap="sm">
              <Button size="xs" variant="default" autoFocus onClick={() => setAsking(false)}>
                Back to the key
              </Button>
              <Button size="xs" color="red" onClick={onDone}>
                I have saved it
              </Button>
            </Group>
          </Alert>
        )}
      </div>
      {!isAsking && (
        <Group justify="flex-end">
          <Button
            variant={isCopied ? 'filled' : 'default'}
            onClick={isCopied ? onDone : () => setAsking(true)}
          >
            Done
          </Button>
        </Group>
      )}
    </Stack>
  );
}
