import { Alert, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyButton } from './copy-button.tsx';

interface SecretDialogProps {
  title: string;
  /** Says whom to give it to. */
  advice: string;
  secret: string;
  onClose: () => void;
}

/** Shows a key or a link, the only time that it can be seen. */
export function SecretDialog({ title, advice, secret, onClose }: SecretDialogProps) {
  return (
    <Modal opened onClose={onClose} title={title} size="lg" centered closeOnClickOutside={false}>
      <Stack gap="md">
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="Copy it now" role="note">
          It is shown only once. {advice}
        </Alert>
        <Code block className="break-anywhere" data-secret>
          {secret}
        </Code>
        <Group justify="flex-end" gap="sm">
          <CopyButton value={secret} label="Copy" variant="filled" size="sm" />
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
