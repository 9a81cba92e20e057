import { Text } from '@mantine/core';
import type { RemoveSeatResponse, SeatEntry } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { countOf } from '../../format/format-count.ts';
import { useTeamChange } from './use-team-change.ts';

interface RemoveSeatDialogProps {
  /** Null: closed. */
  seat: SeatEntry | null;
  onClose: () => void;
  onRemoved: (seat: SeatEntry, response: RemoveSeatResponse) => void;
}

export function RemoveSeatDialog({ seat, onClose, onRemoved }: RemoveSeatDialogProps) {
  const remove = useTeamChange(async (target: SeatEntry) => {
    const path = `/api/seats/${encodeURIComponent(target.id)}/remove`;
    const response = await postJson<RemoveSeatResponse>(path);
    onClose();
    onRemoved(target, response);
  });
  return (
    <ConfirmDialog
      subject={seat}
      title="Remove this seat?"
      confirmLabel="Remove seat"
      action={remove}
      onClose={onClose}
    >
      {(shown) => (
        <>
          <Text className="break-anywhere">
            <strong>{shown.email}</strong> loses the seat, and{' '}
            {shown.activeKeys === 0 ? 'no key is' : keysAre(shown.activeKeys)} revoked with it.
          </Text>
          <Text>
            Programs that use such a key stop working at once. The usage stays on record. A new seat starts
            without keys.
          </Text>
        </>
      )}
    </ConfirmDialog>
  );
}

function keysAre(count: number): string {
  return `${countOf(count, 'active key')} ${count === 1 ? 'is' : 'are'}`;
}
