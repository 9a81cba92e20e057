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
 * Creates a key and shows it, once. The raw key lives in this component's state and nowhere else; it is gone as the
 * dialog closes, which therefore neither Escape nor a click beside it can do.
 */
export function CreateKeyDialog({ opened, seats, onClose }: CreateKeyDialogProps) {
  const [isPending, setPending] = useState(false);
  const [created, setCreated] = useState<CreateKeyAnswer | null>(null);
  const isLocked = isPending || created !== null;

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Only now: while the dialog fades out it shows what it has shown.
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
