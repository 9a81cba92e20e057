import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** The consequences. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** True if it destroys something. */
  isDangerous?: boolean;
  isPending?: boolean;
  /** The error of the last attempt. */
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an action that cannot be undone, and stays open while it runs. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isPending = false, isDangerous = false, error } = props;
  const close = () => {
    if (!isPending) {
      props.onClose();
    }
  };
  return (
    <Modal opened={props.opened} onClose={close} title={props.title} centered>
      <Stack gap="md">
        <div>{props.children}</div>
        {error !== undefined && error !== null && <ErrorNotice error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} disabled={isPending} data-autofocus>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <Button color={isDangerous ? 'red' : 'brand'} loading={isPending} onClick={props.onConfirm}>
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
