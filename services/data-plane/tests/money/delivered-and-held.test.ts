import { chatBody, simulatedCatalog, withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payingKey, verifyLedger } from './money-fixture.ts';

let rawKey: string;

const gateway = withGateway({ ownPools: true, document: catalogWithDearPictures });
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});

/** The simulated models, and one whose pictures are large. */
function catalogWithDearPictures(baseUrl: string) {
  const document = simulatedCatalog(baseUrl);
  const [chat] = document.models.filter(({ id }) => id === 'sim/chat-pro');
  if (chat === undefined) throw new Error('there is always a chat model');
  const dear = { ...chat, id: 'sim/large-pictures', tokens_per_media_part: 50_000 };
  return { ...document, models: [...document.models, dear] };
}

/** The stored bill of a chat: nano-USD and units. */
interface Bill {
  input_tokens: bigint;
  output_tokens: bigint;
  cost: bigint;
  held: bigint;
  source: unknown;
  reason: unknown;
}

async function billOf(response: Pick<Response, 'headers'>): Promise<Bill> {
  const row = await gateway.recordOf(response);
  const amount = (name: string) => BigInt(String(row[name]));
  return {
    input_tokens: amount('input_tokens'),
    output_tokens: amount('output_tokens'),
    cost: amount('cost'),
    held: amount('held'),
    source: row.usage_source,
    reason: row.billing_reason,
  };
}

/** Opens a stream and leaves it when this text is there. */
async function leaveAt(text: string, path: string, body: object) {
  const abort = new AbortController();
  const options = { key: rawKey, signal: abort.signal };
  const response = await gateway.post(path, { stream: true, ...body }, options);
  expect(response.status).toBe(200);
  let received = '';
  try {
    for await (const chunk of response.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (received.includes(text)) abort.abort();
    }
  } catch {
    // The client has left, or the stream broke.
  }
  return response;
}
async function leave(body: object): Promise<Bill> {
  const simulate = { content: 'word '.repeat(80), token_delay_ms: 20 };
  const asked = { model: 'sim/chat-pro', max_tokens: 100, simulate, ...body };
  return await billOf(await leaveAt('word', 'chat/completions', asked));
}

async function ask(path: string, body: object): Promise<Bill> {
  const response = await gateway.ask(path, body, { key: rawKey });
  expect(response.status, response.body).toBe(200);
  return await billOf(response);
}

const picture = `data:image/png;base64,${Buffer.alloc(1_500_000, 0x5a).toString('base64')}`;
const withPictures = (...urls: string[]) => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
    ],
  },
];

describe('a picture in a chat', () => {
  it('a picture costs its reserved estimate when the client leaves, never the length of its base64', async () => {
    const bill = await leave({ messages: withPictures(picture) });
    expect(bill).toMatchObject({ source: 'estimated', reason: 'aborted_partial' });
    expect(bill.input_tokens).toBeGreaterThanOrEqual(1_600n);
    expect(bill.input_tokens).toBeLessThan(1_620n);
    expect(bill.cost).toBeLessThanOrEqual(bill.held);
  });

  it('a picture costs the same when the provider does not count, streamed or not', async () => {
    for (const stream of [false, true]) {
      const bill = await ask('chat/completions', {
        model: 'sim/chat-pro',
        stream,
        messages: withPictures(picture, 'https://example.com/1.png'),
        max_tokens: 20,
        simulate: { usage: 'missing' },
      });
      expect(bill.source).toBe('estimated');
      expect(bill.input_tokens).toBeGreaterThanOrEqual(3_200n);
      expect(bill.input_tokens).toBeLessThan(3_220n);
      expect(bill.cost).toBeLessThanOrEqual(bill.held);
    }
  });

  it('a picture is reserved and estimated at the tokens that the catalog says', async () => {
    const messages = withPictures('https://example.com/1.png', 'https://example.com/2.png');
    const bill = await leave({ model: 'sim/large-pictures', messages });
    expect(bill.input_tokens).toBeGreaterThanOrEqual(100_000n);
    // A million input tokens cost a dollar.
    expect(bill.held).toBeGreaterThanOrEqual(100_000n * 1_000n);
    expect(bill.cost).toBeLessThanOrEqual(bill.held);
  });
});

describe('input outside of the messages', () => {
  const words = 'the weather in a city of your choice, '.repeat(2_000);
  const schema = { type: 'object', properties: { city: { type: 'string', description: words } } };
  it.each<[string, object]>([
    ['tools', { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }],
    ['functions', { functions: [{ name: 'f', parameters: schema }] }],
    ['response_format', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }],
    ['a member that nobody knows', { context_of_mine: words }],
  ])('%s is billed as input when the client leaves', async (_name, more) => {
    const bill = await leave({ messages: [{ role: 'user', content: 'hi' }], ...more });
    expect(bill.input_tokens).toBeGreaterThan(BigInt(words.length) / 4n);
    expect(bill.input_tokens).toBeLessThan(BigInt(words.length) / 3n);
    expect(bill.cost).toBeLessThanOrEqual(bill.held);
  });

  it('metadata is not billed as input', async () => {
    const metadata = { note: 'x'.repeat(20_000) };
    const bill = await leave({ messages: [{ role: 'user', content: 'hi' }], metadata, notre: metadata });
    expect(bill.input_tokens).toBeLessThan(20n);
  });
});

it('reasoning that only the total counts is billed as output', async () => {
  for (const stream of [false, true]) {
    const bill = await ask(
      'chat/completions',
      chatBody({
        model: 'sim/chat-pro',
        stream,
        max_tokens: 500,
        simulate: { content: 'two words', reasoning_tokens: 321 },
      }),
    );
    expect(bill.source).toBe('provider');
    expect(bill.output_tokens).toBeGreaterThan(321n);
    expect(bill.output_tokens).toBeLessThan(330n);
  }
});

describe('partial pictures', () => {
  const request = { model: 'sim/image-pro', prompt: 'a lighthouse', stream: true, partial_images: 3 };

  async function leaveAfter(event: string, simulate: object) {
    return await gateway.recordOf(await leaveAt(event, 'images/generations', { ...request, simulate }));
  }

  it('partial pictures are billed when the client leaves with them', async () => {
    const row = await leaveAfter('"partial_image_index":2', { hang: { after_events: 3 } });
    expect(row).toMatchObject({ images: 1n, cost: 40_000_000n, billing_reason: 'aborted_partial' });
  });

  it('partial pictures are free when the provider fails before the picture', async () => {
    const row = await leaveAfter('never', { truncate: { after_events: 2 } });
    expect(row).toMatchObject({ images: 0n, cost: 0n, billing_reason: 'upstream_failed_free' });
  });

  it('partial pictures are not billed in addition to their picture', async () => {
    const row = await leaveAfter('never', {});
    expect(row).toMatchObject({ images: 1n, cost: 40_000_000n, billing_reason: 'completed' });
  });
});
