import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Action } from '../api/use-action.ts';
import { ErrorNotice } from './error-notice.tsx';
import { useFormFocus } from './use-form-focus.ts';

interface FormDialogProps {
  opened: boolean;
  title: string;
  submitLabel: string;
  action: Pick<Action<never>, 'isPending' | 'error' | 'clearError'>;
  /** The problems by field; the first wrong field gets the focus. */
  problems: Record<string, string | undefined>;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Shows a form in a dialog, which stays open while the form is sent. */
export function FormDialog(props: FormDialogProps) {
  const { action } = props;
  const form = useFormFocus(props.problems, action.error);
  const close = () => {
    if (!action.isPending) {
      action.clearError();
      props.onClose();
    }
  };
  return (
    <Modal opened={props.opened} onClose={close} title={props.title} centered>
      <form
        ref={form}
        noValidate
        aria-label={props.title}
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        <Stack gap="md">
          {props.children}
          {action.error !== undefined && <ErrorNotice error={action.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={action.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={action.isPending}>
              {props.submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
