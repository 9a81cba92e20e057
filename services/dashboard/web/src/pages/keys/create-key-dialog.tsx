import { Modal } from '@mantine/core';
import { useState } from 'react';
import type { CreateKeyAnswer, KeysAnswer } from '../../../../wire/keys.ts';
import { CreateKeyForm } from './create-key-form.tsx';
import { NewKey } from './new-key.tsx';

interface CreateKeyDialogProps {
  opened: boolean;
  seats: KeysAnswer['seats'];
  onClose: () => void;
}

/**
 * Creates a key and shows it once. The raw key is held only in the state of this component, and is gone when
 * the dialog closes. So neither Escape nor a click outside closes the dialog.
 */
export function CreateKeyDialog({ opened, seats, onClose }: CreateKeyDialogProps) {
  const [isPending, setPending] = useState(false);
  const [created, setCreated] = useState<CreateKeyAnswer | null>(null);
  const isLocked = isPending || created !== null;

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Reset only now, because the dialog is still visible while it fades out.
      onExitTransitionEnd={() => setCreated(null)}
      title={created === null ? 'Create an API key' : 'Your new key'}
      size={created === null ? 'lg' : 'xl'}
      centered
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked}
      withCloseButton={!isLocked}
    >
      {created === null ? (
        <CreateKeyForm seats={seats} onPending={setPending} onCreated={setCreated} onCancel={onClose} />
      ) : (
        <NewKey created={created} onDone={onClose} />
      )}
    </Modal>
  );
}
