import { Button, Code, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { formatDate } from '../format/format-time.ts';
import { CopyButton } from './copy-button.tsx';
import { FocusedAlert } from './focused-alert.tsx';

interface InvitedNoticeProps {
  invitation: { email: string; expiresAtMs: number; isMailed: boolean; link: string };
  /** Completes the sentence "whoever has it can …". */
  gives: string;
  onDone: () => void;
}

/** Shows the link of a new invitation, once. */
export function InvitedNotice({ invitation, gives, onDone }: InvitedNoticeProps) {
  const { email, expiresAtMs, isMailed, link } = invitation;
  return (
    <FocusedAlert icon={<IconMail aria-hidden />} title={`${email} is invited`}>
      <Text size="sm" className="break-anywhere">
        {isMailed
          ? 'This link is on its way to them by mail. You can also send it yourself: '
          : 'Send them this link: '}
        whoever has it can {gives}, once, until {formatDate(expiresAtMs)}. It is not shown again. A new
        invitation to the address replaces it.
      </Text>
      <Code
        block
        my="sm"
        className="break-anywhere"
        aria-label="Invitation link"
        role="textbox"
        aria-readonly
        tabIndex={0}
      >
        {link}
      </Code>
      <Group gap="sm">
        <CopyButton value={link} label="Copy link" variant="filled" size="sm" />
        <Button variant="default" size="sm" onClick={onDone}>
          Done
        </Button>
      </Group>
    </FocusedAlert>
  );
}
