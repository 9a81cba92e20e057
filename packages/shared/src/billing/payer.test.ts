import { expect, it } from 'vitest';
import { decodeLevel, encodeLevel, LEVEL_KINDS, resolvePayer } from './payer.ts';

it('a key on a seat is paid by the seat, then by its team, and any other key by its account', () => {
  const onSeat = { accountId: 'acct_1', seatId: 'seat_1', teamId: 'team_1' };
  expect(resolvePayer(onSeat).map(encodeLevel)).toEqual(['seat:seat_1', 'team:team_1']);
  expect(resolvePayer({ accountId: 'acct_1' }).map(encodeLevel)).toEqual(['account:acct_1']);
  expect(resolvePayer({ accountId: 'acct_1', seatId: null, teamId: null })).toHaveLength(1);
});

it('a level is read back as it was written, whatever its id contains', () => {
  for (const kind of [...LEVEL_KINDS, 'end_user']) {
    for (const id of ['x_1', 'a:b', '', '{"a"}'])
      expect(decodeLevel(encodeLevel({ kind, id }))).toEqual({ kind, id });
  }
});
