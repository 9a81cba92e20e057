import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { DialogActions, Form } from './form.tsx';
import type { FormState } from './use-form.ts';

interface FormDialogProps {
  opened: boolean;
  title: string;
  submitLabel: string;
  form: FormState;
  /** For many fields; left out: narrow. */
  size?: 'lg';
  onClose: () => void;
  children: ReactNode;
}

/** Shows a form in a dialog, which stays open while the form is sent. */
export function FormDialog(props: FormDialogProps) {
  const { opened, title, submitLabel, form, size, onClose, children } = props;
  const close = () => {
    if (form.isPending) return;
    form.clearProblems();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} centered {...(size !== undefined && { size })}>
      <Form label={title} form={form}>
        {children}
        <DialogActions form={form} submitLabel={submitLabel} onCancel={close} />
      </Form>
    </Modal>
  );
}
