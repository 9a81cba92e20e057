import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { ReceiverAddresses } from '../../src/webhooks/receiver-addresses.ts';
import { WebhookSender } from '../../src/webhooks/send-webhook.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver-fixture.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const never = new AbortController().signal;

function sendTo(url: string, networks: readonly string[], ...answers: (readonly string[])[]) {
  let asked = 0;
  const addresses = new ReceiverAddresses(networks, (_, callback) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? [];
    callback(
      null,
      answer.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  });
  const sender = new WebhookSender(addresses, 2_000);
  return {
    send: async () => (await sender.send({ url, id: 'evt_1', body: '{}', secrets: [SECRET] }, never)).attempt,
    [Symbol.dispose]: () => sender.close(),
  };
}

const PRIVATE = [
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.170', '192.0.2.1', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.9', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', 'fe80::1'],
  ...['fc00::1', 'fd12::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2001:db8::1', '2002:7f00:1::'],
  ...['2001::1', '100::1', 'fec0::1', '3fff::1', '5f00::1'],
];

it.each(PRIVATE)('nothing is sent to %s, as an address or behind a name', async (address) => {
  const host = address.includes(':') ? `[${address}]` : address;
  const refused = { status: null, error: expect.stringContaining('not public') };
  using literal = sendTo(`https://${host}:9/`, []);
  expect(await literal.send()).toMatchObject(refused);
  using named = sendTo('https://receiver.example:9/', [], [address]);
  expect(await named.send()).toMatchObject(refused);
});

it.each(['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'])(
  'nothing is sent to %s, another way to write a loopback address',
  async (url) => {
    using target = sendTo(url, []);
    expect(await target.send()).toMatchObject({ status: null, error: expect.stringContaining('not public') });
  },
);

it('without TLS, events go only to networks that the operator names', async () => {
  using target = sendTo('http://receiver.example:9/', [], ['93.184.216.34']);
  expect(await target.send()).toMatchObject({ error: expect.stringContaining('use https:') });
});

it('a named network is allowed, and no other, also when the DNS answer changes between two look-ups', async () => {
  const [allowed, refused] = [new WebhookReceiver('127.0.0.2'), new WebhookReceiver('127.0.0.1')];
  await allowed.listen();
  await refused.listen(allowed.port);
  try {
    const url = `http://receiver.example:${allowed.port}/`;
    using changing = sendTo(url, ['127.0.0.2/32'], ['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1', '127.0.0.2']);
    expect(await changing.send()).toMatchObject({ status: 204, error: null });
    // The connection that is kept leads to the allowed address.
    await allowed.close();
    expect(await changing.send()).toMatchObject({ status: null });
    expect(await changing.send()).toMatchObject({ status: null });
    expect(allowed.received).toHaveLength(1);
    expect(refused.received).toEqual([]);
  } finally {
    await refused.close();
  }
});
