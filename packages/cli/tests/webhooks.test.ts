import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, TEST_SECRETS, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runWith } from './gatewayctl-fixture.ts';

/** A name of loopback, to which nothing is sent. */
const URL_OF_NOBODY = 'https://localhost:1/hook';
const OTHER = 'https://localhost:1/other';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

function gatewayctl(...args: readonly string[]) {
  return runWith(
    {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    },
    args,
  );
}

const json = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await gatewayctl(...args, '--json')).out);
const added = z.strictObject({ id: z.string(), secret: z.string() });

describe('webhooks', () => {
  it('add prints id and secret once, and every other command hides the secret', async () => {
    const account = await gateway.createAccount();
    const events = ['--events', 'key.created,key.revoked'];
    const { code, out } = await gatewayctl(
      ...['webhooks', 'add', '--url', URL_OF_NOBODY, ...events, '--account', account],
    );
    const { id, secret } = added.parse(JSON.parse(out));
    expect({ code, id, secret }).toEqual({
      code: 0,
      id: expect.stringMatching(/^wh_/),
      secret: expect.stringMatching(/^whsec_/),
    });
    const shown = { id, account_id: account, url: URL_OF_NOBODY, status: 'enabled' };
    expect(await json('webhooks', 'list', account)).toMatchObject([shown]);
    const changed = await json('webhooks', 'change', id, '--events', 'key.expiring', '--description', 'CRM');
    expect(changed).toMatchObject({ ...shown, events: ['key.expiring'], description: 'CRM' });
    const tested = await json('webhooks', 'test', id);
    const refused = { type: 'webhook.test', state: 'failed', attempts: [{ status: null }] };
    expect(tested).toMatchObject(refused);
    expect(await json('webhooks', 'show', id)).toMatchObject({ id, deliveries: [refused] });
    expect((await gatewayctl('webhooks', 'show', id)).out).toContain('its address is not public');
    expect(await json('webhooks', 'redeliver', id, '--since', '2026-01-01')).toEqual({ count: 0 });
    const rotated = await json('webhooks', 'rotate', id);
    expect(rotated).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated).not.toMatchObject({ secret });
    const disabled = await gatewayctl('webhooks', 'change', id, '--disable');
    expect(disabled.out).toContain(`${id}  disabled`);
    expect((await gatewayctl('webhooks', 'redeliver', id, '--since', '2026-01-01')).err).toContain(
      'enable it first',
    );
    expect((await gatewayctl('webhooks', 'remove', id)).out).toBe(`${id} is removed\n`);
    expect(await json('webhooks', 'list', account)).toEqual([]);
  });

  it('refuse private addresses and unknown types, and say which there are', async () => {
    const add = (url: string, events: string) =>
      gatewayctl('webhooks', 'add', '--url', url, '--events', events);
    expect((await add('http://127.0.0.1/hook', 'key.created')).err).toContain('WEBHOOK_NETWORKS');
    expect((await add(URL_OF_NOBODY, 'key.lost')).err).toContain('the types are account.suspended');
  });
});

describe('apply', () => {
  const file = (events: string) => `
accounts:
  - email: hooks@example.com
    webhooks:
      - { url: "${URL_OF_NOBODY}", events: [${events}], format: slack }
webhooks:
  - { url: "${OTHER}", events: [provider.down], enabled: false }
`;
  const apply = async (events: string, ...args: readonly string[]) => {
    const path = join(folder, 'gateway.yaml');
    writeFileSync(path, file(events));
    const secrets = join(folder, 'secrets.json');
    const { changes } = z
      .object({ changes: z.array(z.object({ action: z.string(), object: z.string() })) })
      .parse(await json('apply', '-f', path, '--secrets-file', secrets, ...args));
    return changes.map(({ action, object }) => `${action} ${object}`);
  };

  it('creates webhooks and writes their secrets, and a second run changes nothing', async () => {
    const [own, all] = [
      `webhook ${URL_OF_NOBODY} of hooks@example.com`,
      `webhook ${OTHER} of the installation`,
    ];
    expect(await apply('key.created')).toEqual([
      'create account hooks@example.com',
      `create ${own}`,
      `create ${all}`,
    ]);
    const secrets = z
      .record(z.string(), z.string())
      .parse(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')));
    expect(Object.entries(secrets)).toEqual([
      [`hooks@example.com/${URL_OF_NOBODY}`, expect.stringMatching(/^whsec_/)],
      [`the installation/${OTHER}`, expect.stringMatching(/^whsec_/)],
    ]);
    expect(await apply('key.created')).toEqual([]);
    expect(await apply('key.created, key.revoked')).toEqual([`change ${own}`]);
    const listed = await json('webhooks', 'list');
    expect(listed).toContainEqual(
      expect.objectContaining({ url: OTHER, account_id: null, status: 'disabled' }),
    );
  });
});
