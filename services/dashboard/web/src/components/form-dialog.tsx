import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { DialogActions, Form } from './form.tsx';
import type { FormState } from './use-form.ts';

interface FormDialogProps {
  opened: boolean;
  title: string;
  submitLabel: string;
  form: FormState;
  onClose: () => void;
  children: ReactNode;
}

/** Shows a form in a dialog, which stays open while the form is sent. */
export function FormDialog({ opened, title, submitLabel, form, onClose, children }: FormDialogProps) {
  const close = () => {
    if (form.isPending) return;
    form.clearProblems();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} centered>
      <Form label={title} form={form}>
        {children}
        <DialogActions form={form} submitLabel={submitLabel} onCancel={close} />
      </Form>
    </Modal>
  );
}
