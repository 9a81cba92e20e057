import { unitsMessage } from './units-message.ts';
import type { ReceiptRow } from './usage-store.ts';

type HeadRow = Parameters<typeof unitsMessage>[0] &
  Pick<
    ReceiptRow,
    'requestId' | 'accountId' | 'seatId' | 'teamId' | 'keyId' | 'modelId' | 'capability' | 'endedAt'
  >;

export function requestHeadMessage(row: HeadRow) {
  return {
    requestId: row.requestId,
    owner: {
      accountId: row.accountId,
      ...(row.seatId === null ? {} : { seatId: row.seatId }),
      ...(row.teamId === null ? {} : { teamId: row.teamId }),
    },
    keyId: row.keyId,
    modelId: row.modelId,
    capability: row.capability,
    endedAtMs: row.endedAt.getTime(),
    units: unitsMessage(row),
  };
}
