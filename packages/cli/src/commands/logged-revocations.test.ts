import { describe, expect, it } from 'vitest';
import { loggedRevocations } from './logged-revocations.ts';

const logged = (keyId: string) =>
  JSON.stringify({
    level: 30,
    service: 'control-plane',
    key_id: keyId,
    revoked_at: '2026-11-22T03:00:00.000Z',
    msg: 'key revoked',
  });

describe('the revocations in a log', () => {
  it('are found once each, behind the prefixes of docker compose and kubectl', () => {
    const log = [
      logged('key_1'),
      `control-plane-1  | ${logged('key_2')}`,
      `[pod/cp-0/cp] ${logged('key_1')}`,
      '',
    ].join('\n');
    expect(loggedRevocations(log)).toEqual({
      revocations: [
        { keyId: 'key_1', revokedAt: '2026-11-22T03:00:00.000Z' },
        { keyId: 'key_2', revokedAt: '2026-11-22T03:00:00.000Z' },
      ],
      unread: [],
    });
  });

  it('are not made of lines that only mention them', () => {
    const others = [
      '{"msg":"request","key_id":"key_1","error":"key revoked"}',
      '{"msg":"a key revoked","key_id":"key_1"}',
      '{"msg":"request","key_id":"key_1","path":"{\\"msg\\":\\"key revoked\\",\\"key_id\\":\\"key_2\\"}"}',
    ];
    expect(loggedRevocations(others.join('\n'))).toEqual({ revocations: [], unread: [] });
  });

  it('are never left out in silence: lines that cannot be understood are named', () => {
    const unclear = [
      'key revoked',
      '{"msg":"key revoked"}',
      '{"msg":"key revoked","key_id":7}',
      '{"msg":"key revoked","key_id":"key_1\\u001b[2J"}',
      logged('key_1').slice(0, -1),
      // The form in which Docker keeps logs on disk.
      JSON.stringify({ log: `${logged('key_1')}\n`, stream: 'stdout' }),
      // The form in which a log store prints lines, with labels.
      `{service="control-plane"} ${logged('key_1')}`,
    ];
    expect(loggedRevocations(['', ...unclear].join('\n'))).toEqual({
      revocations: [],
      unread: unclear.map((_, index) => index + 2),
    });
  });
});
