import { Modal } from '@mantine/core';
import { useState } from 'react';
import type { CreateKeyResponse, KeysResponse } from '../../../../wire/keys.ts';
import { CreateKeyForm } from './create-key-form.tsx';
import { NewKey } from './new-key.tsx';

interface CreateKeyDialogProps {
  opened: boolean;
  seats: KeysResponse['seats'];
  onClose: () => void;
}

/**
 * Creates a key and shows it once. The raw key exists only in this component's state, so neither Escape nor a
 * click outside closes the dialog.
 */
export function CreateKeyDialog({ opened, seats, onClose }: CreateKeyDialogProps) {
  const [isPending, setPending] = useState(false);
  const [created, setCreated] = useState<CreateKeyResponse | null>(null);
  const isLocked = isPending || created !== null;

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Only now: the dialog stays visible while it fades out.
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
