import { Code, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { KeyEntry, KeysResponse, RevokeKeyResponse } from '../../../../wire/keys.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { withRevokedKey } from './key-list.ts';
import { keysKey } from './use-keys.ts';

interface RevokeKeyDialogProps {
  /** Null: closed. */
  apiKey: KeyEntry | null;
  onClose: () => void;
  onRevoked: (key: KeyEntry, response: RevokeKeyResponse) => void;
}

/** Asks, then revokes the key: optimistically in the list, which rolls back on failure. */
export function RevokeKeyDialog({ apiKey, onClose, onRevoked }: RevokeKeyDialogProps) {
  const queryClient = useQueryClient();
  const revoke = useAction(async (key: KeyEntry) => {
    await queryClient.cancelQueries({ queryKey: keysKey });
    const before = queryClient.getQueryData<KeysResponse>(keysKey);
    const show = (revokedAtMs: number) =>
      queryClient.setQueryData<KeysResponse>(
        keysKey,
        (keys) => keys && withRevokedKey(keys, key.id, revokedAtMs),
      );
    show(Date.now());
    try {
      const response = await postJson<RevokeKeyResponse>(`/api/keys/${encodeURIComponent(key.id)}/revoke`);
      show(response.revokedAtMs);
      onClose();
      onRevoked(key, response);
    } catch (error) {
      queryClient.setQueryData(keysKey, before);
      throw error;
    } finally {
      // Also after a failure: the key may be revoked even if the response was lost.
      void queryClient.invalidateQueries({ queryKey: keysKey });
    }
  });
  return (
    <ConfirmDialog
      subject={apiKey}
      title="Revoke this key?"
      confirmLabel="Revoke key"
      action={revoke}
      onClose={onClose}
    >
      {(shown) => (
        <>
          <Text className="break-anywhere">
            <strong>{shown.name}</strong> <Code fz="sm">{shown.displayPrefix}…</Code>
          </Text>
          <Text>
            Programs that use it stop working at once, open streams included. You cannot undo this. The usage
            of the key stays on record.
          </Text>
        </>
      )}
    </ConfirmDialog>
  );
}
