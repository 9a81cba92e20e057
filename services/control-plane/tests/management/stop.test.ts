import { expect } from 'vitest';
import { holdLock } from '../fixtures/administration-fixture.ts';
import { at, it } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

it('a control plane that stops answers requests in progress, and takes no new ones', async ({ control }) => {
  const api = manage(control);
  const { key } = await api.insertKey();
  await using lock = await holdLock(control, `SELECT FROM accounts WHERE id = 'acct_test' FOR UPDATE`);
  const running = api.post('/admin/v1/keys', { account_id: 'acct_test', name: 'late' }, { key });
  await lock.waiting(1);
  const closed = at(control.planes, 0).close();
  await expect
    .poll(() =>
      api.get('/health', { key: null }).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused');
  await lock[Symbol.asyncDispose]();
  expect((await running).status).toBe(201);
  await closed;
});
