import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { LOOPBACK, webhooksOf } from '../fixtures/webhooks-fixture.ts';

const PAGE = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

const control = useControlPlanes({ environment: LOOPBACK });
const webhooks = webhooksOf(control);

it('the receiver in docs/webhooks.md verifies an event, and refuses one without a signature', async () => {
  const [, example = ''] = /```js\n(.*?)```/s.exec(PAGE) ?? [];
  const [account, port] = [await webhooks.newAccount(), await freePort()];
  const url = `http://127.0.0.1:${port}/webhooks`;
  const { id, secret } = await webhooks.add(url, { account });
  const environment = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
  const receiver = spawn(process.execPath, ['--input-type=module'], { cwd: PACKAGE, env: environment });
  try {
    let printed = '';
    receiver.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    receiver.stdin.end(example);
    const post = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
    await until(async () => (await post())?.status === 401);
    const keyId = await webhooks.createKey(account);
    const { attempts } = await webhooks.delivery(id, ({ state }) => state === 'delivered');
    expect(attempts).toMatchObject([{ status: 204 }]);
    await until(() => printed.includes(`key.created ${keyId}`));
  } finally {
    receiver.kill('SIGKILL');
  }
});
