import { describe, expect, it } from 'vitest';
import { revocationResult } from './revoke.ts';

const key = {
  id: 'key_1',
  accountId: 'acct_1',
  name: 'ci',
  displayPrefix: 'gw_live_aaaaaaaa',
  kind: 'issued',
  status: 'revoked',
  createdAtMs: '0',
  revokedAtMs: '1000',
};

describe('the outcome of a revocation', () => {
  it('is called done when every data plane has confirmed', () => {
    expect(revocationResult({ key, unconfirmedInstances: [] })).toEqual({
      json: expect.objectContaining({ id: 'key_1', status: 'revoked', unconfirmed_instances: [] }),
      text: 'key_1 revoked; refused everywhere from now on\n',
    });
  });

  it('names the data planes that have not confirmed', () => {
    const result = revocationResult({ key, unconfirmedInstances: ['dp_1', 'dp_2'] });
    expect(result.json).toMatchObject({ unconfirmed_instances: ['dp_1', 'dp_2'] });
    expect(result.text).not.toContain('everywhere');
    expect(result.note).toMatch(/NOT YET CONFIRMED.*dp_1, dp_2$/);
  });
});
