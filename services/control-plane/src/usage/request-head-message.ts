import { omitAbsent } from '../omit-absent.ts';
import { unitsMessage } from './units-message.ts';
import type { ReceiptRow } from './usage-store.ts';

type HeadRow = Parameters<typeof unitsMessage>[0] &
  Pick<
    ReceiptRow,
    | 'requestId'
    | 'accountId'
    | 'accountEmail'
    | 'seatId'
    | 'teamId'
    | 'keyId'
    | 'keyName'
    | 'modelId'
    | 'capability'
    | 'endedAt'
  >;

export function requestHeadMessage(row: HeadRow) {
  return {
    requestId: row.requestId,
    owner: {
      accountId: row.accountId,
      ...omitAbsent({ seatId: row.seatId, teamId: row.teamId }),
    },
    keyId: row.keyId,
    // Only the management API shows names.
    accountEmail: row.accountEmail,
    keyName: row.keyName,
    modelId: row.modelId,
    capability: row.capability,
    endedAtMs: row.endedAt.getTime(),
    units: unitsMessage(row),
  };
}
