import { describe, expect, it } from 'vitest';
import { WAYS, withApply } from './apply-fixture.ts';

describe.each(WAYS)('gatewayctl apply of accounts with external ids by %s', (way) => {
  const control = withApply(way);
  const { apply } = control;
  const entry = (email: string, externalId?: string) =>
    `accounts:\n  - email: ${email}\n${externalId === undefined ? '' : `    external_id: ${externalId}\n`}`;

  it('creates the account with its external id, and finds it again', async () => {
    expect((await apply(entry('ada@example.com', 'crm-1'))).out).toContain('+ account ada@example.com\n');
    expect((await apply(entry('ada@example.com', 'crm-1'))).out).toBe(
      'Nothing to change: 1 object is as in the file.\n',
    );
  });

  it('refuses another address for an external id, with what to do, before it changes anything', async () => {
    const file = `${entry('new@example.com')}${entry('ada@new.example.com', 'crm-1').replace('accounts:\n', '')}`;
    for (const args of [['--dry-run'], []]) {
      const { code, err } = await apply(file, ...args);
      expect(code).toBe(1);
      expect(err).toContain(
        'account ada@new.example.com: the account with the external_id crm-1 has the e-mail address ada@example.com, ' +
          'which cannot be changed: put that address into the file, or use another external_id',
      );
    }
    expect(await control.gatewayctl.json('accounts', 'list')).toMatchObject([{ email: 'ada@example.com' }]);
  });

  it('shows another external id of an address as a change, and makes it', async () => {
    await apply(entry('ben@example.com'));
    const first = '~ account ben@example.com: external_id is null, in the file crm-2\n';
    expect((await apply(entry('ben@example.com', 'crm-2'), '--dry-run')).out).toContain(first);
    expect((await apply(entry('ben@example.com', 'crm-2'))).out).toContain(first);
    expect((await apply(entry('ben@example.com', 'crm-3'))).out).toContain(
      '~ account ben@example.com: external_id is crm-2, in the file crm-3\n',
    );
    expect((await apply(entry('ben@example.com', 'crm-3'))).out).toContain('Nothing to change');
    // A file that names no external id leaves it alone.
    expect((await apply(entry('ben@example.com'))).out).toContain('Nothing to change');
  });

  it('refuses an external id that the file has twice, or that a deleted account has', async () => {
    const file = `${entry('one@example.com', 'x')}${entry('two@example.com', 'x').replace('accounts:\n', '')}`;
    expect((await apply(file)).err).toContain('accounts[1].external_id: x is there twice');
    await apply(entry('gone@example.com', 'crm-4'));
    await control.gatewayctl.json('accounts', 'delete', 'gone@example.com');
    expect((await apply(entry('gone@example.com', 'crm-4'))).err).toMatch(
      /the external_id crm-4 is deleted \(acct_\w+\): leave external_id out, or use another external_id/,
    );
  });
});
