import { expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { LOOPBACK, webhooksOf } from '../fixtures/webhooks-fixture.ts';

const control = useControlPlanes({ environment: LOOPBACK });
const webhooks = webhooksOf(control);

it('events and mails do not name a deleted account, and webhooks of the installation still get its events', async () => {
  const account = await webhooks.newAccount();
  const [{ email } = {}] = await control.sql`
    UPDATE accounts SET name = 'Ada of ' || id WHERE id = ${account} RETURNING email`;
  const all = await webhooks.add('https://localhost:1/hook', {
    events: ['account.suspended', 'budget.threshold_reached'],
  });
  await control.admin('webhooks', 'changeWebhook', { id: all.id, enabled: false });
  await control.admin('accounts', 'suspendAccount', { account });
  const threshold = {
    ...{ id: `evt_${account}`, type: 'budget.threshold_reached', account_id: account },
    ...{ data: { scope: 'account', scope_name: `Ada of ${account}` }, mail_to: [email] },
  };
  await control.sql`SELECT emit_events(${JSON.stringify([threshold])}::jsonb)`;
  await control.admin('accounts', 'deleteAccount', { account });
  const deliveries = await control.sql`
    SELECT d.target, e.data FROM events e JOIN webhook_deliveries d ON d.event_id = e.id
    WHERE e.account_id = ${account} ORDER BY e.position`;
  expect(deliveries.map(({ target }) => target)).toEqual([all.id, all.id]);
  const text = JSON.stringify(deliveries);
  expect(text).toContain('Deleted account');
  expect(text).not.toContain('Ada of');
  expect(text).not.toContain(email);
});
