import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { Action } from '../api/use-action.ts';
import { ErrorNotice } from './error-notice.tsx';

interface ConfirmDialogProps<Subject> {
  /** The item that the action destroys; null: the dialog is closed. */
  subject: Subject | null;
  title: string;
  /** Explains the consequences. */
  children: (subject: Subject) => ReactNode;
  confirmLabel: string;
  action: Action<[Subject]>;
  onClose: () => void;
}

/** Asks before an action that cannot be undone, and stays open while it runs. */
export function ConfirmDialog<Subject>(props: ConfirmDialogProps<Subject>) {
  const { subject, title, children, confirmLabel, action, onClose } = props;
  // Keeps showing the subject while the dialog fades out.
  const last = useRef(subject);
  last.current = subject ?? last.current;
  const close = () => {
    if (action.isPending) return;
    action.clearError();
    onClose();
  };
  return (
    <Modal opened={subject !== null} onClose={close} title={title} centered>
      <Stack gap="md">
        <Stack gap="xs">{last.current !== null && children(last.current)}</Stack>
        <ErrorNotice error={action.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} disabled={action.isPending} data-autofocus>
            Cancel
          </Button>
          <Button
            color="red"
            loading={action.isPending}
            onClick={() => subject !== null && action.run(subject)}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
