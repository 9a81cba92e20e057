import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { administer, expectRefusal } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { useReceiver, verify, withStatus } from '../fixtures/webhook-receiver-fixture.ts';
import { LOOPBACK, webhooksOf } from '../fixtures/webhooks-fixture.ts';

/** Long enough for a receiver that answers at once, on a busy machine, too. */
const TIMEOUT_MS = 3_000;
const control = useControlPlanes({
  environment: LOOPBACK,
  overrides: { webhooks: { timeoutMs: TIMEOUT_MS } },
});
const receiver = useReceiver();
const webhooks = webhooksOf(control);

it('an event is sent at once, signed as Standard Webhooks says, with type, time and data', async () => {
  const account = await webhooks.newAccount();
  const { id, secret } = await webhooks.add(receiver.url('signed'), { account });
  const keyId = await webhooks.createKey(account);
  await until(() => receiver.at('signed').length === 1);
  const [first] = receiver.at('signed');
  if (first === undefined) throw new Error('nothing was received');
  expect(verify(secret, first)).toEqual({
    type: 'key.created',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: expect.objectContaining({ id: keyId, account_id: account, name: 'test', status: 'active' }),
  });
  expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, first)).toThrow();
  expect(first.id).toMatch(/^evt_[0-9A-Za-z]{24}$/);
  expect(first.headers).toMatchObject({ 'content-type': 'application/json' });
  const row = await webhooks.delivery(id, ({ state }) => state === 'delivered');
  expect(row.attempts).toEqual([
    { at: expect.any(String), duration_ms: expect.any(Number), status: 204, error: null, response: '' },
  ]);
});

it('a webhook of an account gets the events of that account, and one of the installation all', async () => {
  const [own, other] = [await webhooks.newAccount(), await webhooks.newAccount()];
  await webhooks.add(receiver.url('own'), { account: own });
  const all = await webhooks.add(receiver.url('all'), { events: ['key.created', 'key.revoked'] });
  const keys = [await webhooks.createKey(own), await webhooks.createKey(other)];
  await control.revokeKey(keys[1] ?? '');
  await until(() => receiver.at('all').length === 3);
  await control.admin('webhooks', 'removeWebhook', { id: all.id });
  const dataOf = (path: string) =>
    receiver.at(path).map(({ text }) => {
      const { data, type } = JSON.parse(text);
      return `${type} ${data.id}`;
    });
  expect(dataOf('own')).toEqual([`key.created ${keys[0]}`]);
  expect(dataOf('all').sort()).toEqual(
    [`key.created ${keys[0]}`, `key.created ${keys[1]}`, `key.revoked ${keys[1]}`].sort(),
  );
});

it.each(['seat', 'team', 'account'])('a key that is revoked with its %s is reported', async (ends) => {
  const { addSeat, createKey, createTeam, removeSeat } = administer(control);
  const [account, owner] = [await webhooks.newAccount(), await webhooks.newAccount()];
  const team = await createTeam({ account: owner });
  const seat = await addSeat(team.id, account);
  const key = await createKey({ account, seatId: seat.id });
  await webhooks.add(receiver.url(ends), { account, events: ['key.revoked'] });
  if (ends === 'seat') await removeSeat(seat.id);
  else if (ends === 'team') await control.admin('teams', 'deleteTeam', { teamId: team.id });
  else await control.admin('accounts', 'deleteAccount', { account: owner });
  await until(() => receiver.at(ends).length === 1);
  expect(JSON.parse(receiver.at(ends)[0]?.text ?? '')).toMatchObject({
    type: 'key.revoked',
    data: { id: key.id, account_id: account, status: 'revoked', revoked_at: expect.any(String) },
  });
});

it('an event without a subscribed webhook is not stored', async () => {
  const account = await webhooks.newAccount();
  await webhooks.createKey(account);
  expect(await control.sql`SELECT * FROM events WHERE account_id = ${account}`).toEqual([]);
});

it('a receiver that answers 500, and then is down for ten minutes, gets the event with the same id', async () => {
  const account = await webhooks.newAccount();
  const { id, secret } = await webhooks.add(receiver.url('down'), { account });
  receiver.answer = withStatus(500, {}, `broken: ${'x'.repeat(10_000)}`);
  await webhooks.createKey(account);
  const failed = await webhooks.delivery(id, ({ tries }) => tries === 1);
  expect(failed.attempts[0]).toMatchObject({ status: 500, error: 'status 500' });
  expect(failed.attempts[0]?.response).toHaveLength(200);
  expect((failed.due_at?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_000);
  // The retries after 5 seconds and after 5 minutes fail, too.
  receiver.answer = (_, response) => void response.socket?.destroy();
  for (const tries of [2, 3]) {
    await webhooks.passTime(id);
    const row = await webhooks.delivery(id, (each) => each.tries === tries);
    expect(row.attempts.at(-1)).toMatchObject({ status: null, error: 'no response: ECONNRESET' });
  }
  receiver.answer = withStatus(200);
  await webhooks.passTime(id);
  await webhooks.delivery(id, ({ state }) => state === 'delivered');
  const received = receiver.at('down');
  expect(received).toHaveLength(4);
  expect(new Set(received.map((each) => `${each.id} ${each.text}`)).size).toBe(1);
  for (const each of received) verify(secret, each);
});

it('a redirect counts as a failure and is not followed', async () => {
  const account = await webhooks.newAccount();
  const { id } = await webhooks.add(receiver.url('redirecting'), { account });
  receiver.answer = withStatus(307, { location: receiver.url('redirected') });
  await webhooks.createKey(account);
  const row = await webhooks.delivery(id, ({ tries }) => tries === 1);
  expect(row.attempts[0]?.error).toBe('status 307: redirects are not followed');
  expect(receiver.at('redirected')).toEqual([]);
});

it('a receiver that switches protocols fails at once, and the next attempt runs', async () => {
  const account = await webhooks.newAccount();
  const { id } = await webhooks.add(receiver.url('switching'), { account });
  receiver.answer = (_, { socket }) =>
    void socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  await webhooks.createKey(account);
  const row = await webhooks.delivery(id, ({ tries }) => tries === 1);
  expect(row.attempts[0]).toMatchObject({ status: null, error: 'no response: the connection was closed' });
  receiver.answer = withStatus(200);
  await webhooks.passTime(id);
  await webhooks.delivery(id, ({ state }) => state === 'delivered');
});

it('a response is stored whose first characters end within a character', async () => {
  const account = await webhooks.newAccount();
  const { id } = await webhooks.add(receiver.url('cut'), { account });
  receiver.answer = withStatus(200, {}, `${'x'.repeat(199)}😀`);
  await webhooks.createKey(account);
  const row = await webhooks.delivery(id, ({ state }) => state === 'delivered');
  expect(row.attempts[0]?.response).toBe(`${'x'.repeat(199)}\ufffd`);
});

it('a receiver that answers 410 is disabled, and nothing more is sent', async () => {
  const account = await webhooks.newAccount();
  const { id } = await webhooks.add(receiver.url('gone'), { account });
  receiver.answer = withStatus(410);
  await webhooks.createKey(account);
  await webhooks.delivery(id, ({ state }) => state === 'failed');
  await until(async () => (await control.admin('webhooks', 'getWebhook', { id })).status === 'disabled');
  receiver.answer = withStatus(200);
  await webhooks.createKey(account);
  await webhooks.delivery(id, ({ state }) => state === 'held');
  expect(receiver.at('gone')).toHaveLength(1);
  const audited =
    await control.sql`SELECT actor FROM audit_events WHERE object_id = ${id} AND way = 'system'`;
  expect(audited).toHaveLength(1);
});

it('a receiver that answers 410 after the URL was changed disables nothing', async () => {
  const account = await webhooks.newAccount();
  const { id } = await webhooks.add(receiver.url('left'), { account });
  const move = () => control.admin('webhooks', 'changeWebhook', { id, url: receiver.url('moved') });
  receiver.answer = (_, response) => void move().then(() => response.writeHead(410).end());
  await webhooks.createKey(account);
  await webhooks.delivery(id, ({ state }) => state === 'failed');
  receiver.answer = withStatus(200);
  await webhooks.createKey(account);
  await until(() => receiver.at('moved').length > 0);
  expect((await control.admin('webhooks', 'getWebhook', { id })).status).toBe('enabled');
});

it('a webhook is tested once at a time, so that tests hold few connections', async () => {
  const { id } = await webhooks.add(receiver.url('tested'));
  const test = () => control.admin('webhooks', 'testWebhook', { id });
  receiver.answer = () => undefined;
  const first = test();
  await until(() => receiver.at('tested').length === 1);
  await expectRefusal(test(), GrpcStatus.FAILED_PRECONDITION);
  expect(await first).toMatchObject({ state: 'failed' });
  receiver.answer = withStatus(204);
  expect(await test()).toMatchObject({ state: 'delivered' });
  await control.admin('webhooks', 'removeWebhook', { id });
});

it('a receiver that never answers delays no other, and its attempt ends', async () => {
  const [slow, fast] = [await webhooks.newAccount(), await webhooks.newAccount()];
  receiver.answer = ({ path }, response) => {
    if (path === '/fast') response.writeHead(200).end();
  };
  const { id } = await webhooks.add(receiver.url('slow'), { account: slow });
  const other = await webhooks.add(receiver.url('fast'), { account: fast });
  // More than all attempts that run at once.
  await control.sql`
    SELECT emit_events(jsonb_agg(jsonb_build_object('id', 'evt_slow' || n, 'type', 'key.created',
      'account_id', ${slow}::text, 'data', '{}'::jsonb))) FROM generate_series(1, 100) AS n`;
  await until(() => receiver.at('slow').length > 0);
  await webhooks.createKey(fast);
  const startedMs = Date.now();
  await webhooks.delivery(other.id, ({ state }) => state === 'delivered');
  // The delivery did not wait for the attempt at the silent receiver.
  expect(Date.now() - startedMs).toBeLessThan(TIMEOUT_MS);
  const row = await webhooks.delivery(id, ({ tries }) => tries === 1);
  expect(row.attempts[0]).toMatchObject({ status: null, error: `no response within ${TIMEOUT_MS} ms` });
  await control.admin('webhooks', 'removeWebhook', { id });
});

it('an account with many slow receivers takes a part of all attempts, and delays no other', async () => {
  const [slow, fast] = [await webhooks.newAccount(), await webhooks.newAccount()];
  const opened = new Set<unknown>();
  let most = 0;
  receiver.answer = ({ path }, response) => {
    if (path === '/others') response.writeHead(200).end();
    else opened.add(response.on('close', () => opened.delete(response)));
    most = Math.max(most, opened.size);
  };
  const many = await Promise.all(
    Array.from({ length: 12 }, () => webhooks.add(receiver.url('many'), { account: slow })),
  );
  const other = await webhooks.add(receiver.url('others'), { account: fast });
  await control.sql`
    SELECT emit_events(jsonb_agg(jsonb_build_object('id', 'evt_many' || n, 'type', 'key.created',
      'account_id', ${slow}::text, 'data', '{}'::jsonb))) FROM generate_series(1, 4) AS n`;
  await until(() => opened.size > 0);
  await webhooks.createKey(fast);
  await webhooks.delivery(other.id, ({ state }) => state === 'delivered');
  // Each gets its turn.
  for (const { id } of many) await webhooks.delivery(id, ({ tries }) => tries === 1);
  expect(most).toBeGreaterThan(8);
  // The receiver may learn late that an attempt has ended.
  expect(most).toBeLessThan(24);
  for (const { id } of many) await control.admin('webhooks', 'removeWebhook', { id });
});

it('during a rotation of 24 hours, both secrets sign, and afterwards the new one alone', async () => {
  const account = await webhooks.newAccount();
  const { id, secret: old } = await webhooks.add(receiver.url('rotating'), { account });
  const { secret } = await control.admin('webhooks', 'rotateWebhookSecret', { id });
  await webhooks.createKey(account);
  await until(() => receiver.at('rotating').length === 1);
  await control.sql`UPDATE webhook_secrets SET expires_at = now() WHERE endpoint_id = ${id} AND expires_at IS NOT NULL`;
  await webhooks.createKey(account);
  await until(() => receiver.at('rotating').length === 2);
  const [during, after] = receiver.at('rotating');
  if (during === undefined || after === undefined) throw new Error('nothing was received');
  expect(during.signature.split(' ')).toHaveLength(2);
  for (const each of [old, secret]) verify(each, during);
  verify(secret, after);
  expect(() => verify(old, after)).toThrow();
});

it('a webhook of Slack gets a text in which nothing is markup', async () => {
  const account = await webhooks.newAccount();
  await webhooks.add(receiver.url('slack'), { account, format: 'slack' });
  await control.admin('accounts', 'createKey', { account, name: '<!channel> & co' });
  await until(() => receiver.at('slack').length === 1);
  const { text } = JSON.parse(receiver.at('slack')[0]?.text ?? '');
  expect(text).toContain('*An API key was created* (key.created)');
  expect(text).toContain('• name: &lt;!channel&gt; &amp; co');
});
