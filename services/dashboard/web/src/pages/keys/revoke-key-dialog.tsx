import { Code, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { KeyEntry, KeysAnswer, RevokeKeyAnswer } from '../../../../wire/keys.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { withRevokedKey } from './key-list.ts';
import { keysKey } from './use-keys.ts';

interface RevokeKeyDialogProps {
  /** Null: closed. */
  apiKey: KeyEntry | null;
  onClose: () => void;
  onRevoked: (key: KeyEntry, answer: RevokeKeyAnswer) => void;
}

/** Asks, and revokes the key. The list shows it at once, and takes it back if the server has not done it. */
export function RevokeKeyDialog({ apiKey, onClose, onRevoked }: RevokeKeyDialogProps) {
  const queryClient = useQueryClient();
  const revoke = useAction(async (key: KeyEntry) => {
    await queryClient.cancelQueries({ queryKey: keysKey });
    const before = queryClient.getQueryData<KeysAnswer>(keysKey);
    const show = (revokedAtMs: number) =>
      queryClient.setQueryData<KeysAnswer>(
        keysKey,
        (answer) => answer && withRevokedKey(answer, key.id, revokedAtMs),
      );
    show(Date.now());
    try {
      const answer = await postJson<RevokeKeyAnswer>(`/api/keys/${encodeURIComponent(key.id)}/revoke`);
      show(answer.revokedAtMs);
      onClose();
      onRevoked(key, answer);
    } catch (error) {
      queryClient.setQueryData(keysKey, before);
      throw error;
    } finally {
      // Read again also after a failure: the key may be revoked although the answer was lost.
      void queryClient.invalidateQueries({ queryKey: keysKey });
    }
  });
  // The name of the key stays in the dialog while that fades out.
  const last = useRef(apiKey);
  last.current = apiKey ?? last.current;
  const shown = last.current;
  return (
    <ConfirmDialog
      opened={apiKey !== null}
      title="Revoke this key?"
      confirmLabel="Revoke key"
      isDangerous
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => apiKey !== null && revoke.run(apiKey)}
      onClose={() => {
        revoke.clearError();
        onClose();
      }}
    >
      {shown !== null && (
        <Stack gap="xs">
          <Text className="break-anywhere">
            <strong>{shown.name}</strong> <Code fz="sm">{shown.displayPrefix}…</Code>
          </Text>
          <Text>
            Whatever uses it stops working at once, streams that are running included. A revoked key cannot be
            brought back; its usage stays on record.
          </Text>
        </Stack>
      )}
    </ConfirmDialog>
  );
}
