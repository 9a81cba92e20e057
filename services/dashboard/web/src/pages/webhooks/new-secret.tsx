import { Button, Code, Group, Text } from '@mantine/core';
import type { NewWebhook } from '../../../../wire/webhooks.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { FocusedAlert } from '../../components/focused-alert.tsx';

/** Shows the secret of a webhook once. */
export function NewSecret({ webhook, onDone }: { webhook: NewWebhook; onDone: () => void }) {
  return (
    <FocusedAlert color="orange" title="Copy the secret now">
      <Text size="sm">
        This is the only time that it is shown. Your receiver checks the signature of each request with it.
      </Text>
      <Code
        block
        my="sm"
        className="break-anywhere"
        aria-label="Secret"
        role="textbox"
        aria-readonly
        tabIndex={0}
      >
        {webhook.secret}
      </Code>
      <Group gap="sm">
        <CopyButton value={webhook.secret} label="Copy secret" variant="filled" size="sm" />
        <Button variant="default" size="sm" onClick={onDone}>
          I have saved it
        </Button>
      </Group>
    </FocusedAlert>
  );
}
