import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { type Books, openBooks, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { usageOf } from '../money/money-fixture.ts';
import { CALLERS } from '../providers/three-callers.ts';

/** Answers as Cohere really gave them, asked for in every API of chats. */

const folder = join(process.env.RECORDED_ANSWERS ?? '', 'cohere');
const isThere = (process.env.RECORDED_ANSWERS ?? '') !== '' && existsSync(folder);
const EVENTS = '.chunks.txt';

interface Recorded {
  name: string;
  /** The whole answer, or the data of each event. */
  pieces: string[];
  isStreamed: boolean;
}

const recorded: Recorded[] = isThere
  ? globSync(join(folder, '*.{json,chunks.txt}'))
      .sort()
      .map((file) => {
        const text = readFileSync(file, 'utf8');
        const isStreamed = file.endsWith(EVENTS);
        const pieces = isStreamed ? text.split('\n').filter((line) => line.trim() !== '') : [text];
        return { name: basename(file), pieces, isStreamed };
      })
  : [];
const has = (member: string) => (one: Recorded) =>
  member in z.looseObject({}).parse(JSON.parse(one.pieces[0] ?? ''));
const chats = recorded.filter((one) => one.isStreamed || has('message')(one));
const embeddings = recorded.filter(has('embeddings'));
const ranked = recorded.filter(has('results'));

const words = z.looseObject({ text: z.string().optional(), thinking: z.string().optional() });
const call = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }),
});
const message = z.looseObject({
  content: z.union([z.array(words), words]).optional(),
  tool_plan: z.string().optional(),
  tool_calls: z.union([z.array(call), call]).optional(),
});
const billed = z.object({ input_tokens: z.int(), output_tokens: z.int() });
const piece = z.looseObject({
  type: z.string().optional(),
  message: message.optional(),
  delta: z.looseObject({ message: message.optional(), usage: z.unknown().optional() }).optional(),
  usage: z.unknown().optional(),
});

/** What an answer says, read by hand. */
function saidIn({ pieces }: Recorded) {
  const parsed = pieces.map((text) => piece.parse(JSON.parse(text)));
  const messages = parsed.flatMap<z.infer<typeof message>>((one) => one.message ?? one.delta?.message ?? []);
  const calls: { id: string; name: string; input: string }[] = [];
  for (const { function: called, id } of messages.flatMap<z.infer<typeof call>>(
    (one) => one.tool_calls ?? [],
  )) {
    if (id !== undefined) calls.push({ id, name: called.name ?? '', input: '' });
    const last = calls.at(-1);
    if (last !== undefined) last.input += called.arguments ?? '';
  }
  const content = messages.flatMap<z.infer<typeof words>>((one) => one.content ?? []);
  const usage = parsed.map((one) => one.usage ?? one.delta?.usage).findLast((one) => one !== undefined);
  const { input_tokens: input, output_tokens: output } = z
    .looseObject({ billed_units: billed })
    .parse(usage).billed_units;
  return {
    text: [
      ...messages.map(({ tool_plan }) => tool_plan ?? ''),
      ...content.map(({ text }) => text ?? ''),
    ].join(''),
    thoughts: content.map(({ thinking }) => thinking ?? '').join(''),
    calls: calls.map((one) => ({ ...one, input: JSON.parse(one.input || '{}') ?? {} })),
    usage: { input, output },
  };
}

/** Picodollars for a token, nano-USD for a search unit. */
const PRICES = { input: 2_000_003n, output: 12_000_007n };
const SEARCH_NANO_USD = 2_000_001n;
const billByHand = ({ input, output }: { input: number; output: number }) =>
  (BigInt(input) * PRICES.input + BigInt(output) * PRICES.output + 999n) / 1_000n;
const TOOLS = ['currentTime', 'weather', 'double'].map((name) => ({
  name,
  parameters: { type: 'object' as const, properties: {} },
}));

describe.skipIf(!isThere)('a recorded answer of Cohere', () => {
  const stack = new AsyncDisposableStack();
  let gateway: TestGateway;
  let books: Books;
  let rawKey: string;
  let replayed: Recorded | undefined;

  beforeAll(async () => {
    const server = createServer((req, res) => {
      req.resume();
      req.on('end', () => {
        if (replayed === undefined || req.method !== 'POST') return res.writeHead(404).end();
        const { isStreamed, pieces } = replayed;
        res.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
        if (!isStreamed) return res.end(pieces[0]);
        const types = pieces.map((data) => piece.parse(JSON.parse(data)).type);
        const events = pieces.map((data, index) => `event: ${types[index]}\ndata: ${data}\n\n`);
        return res.end(`${events.join('')}data: [DONE]\n\n`);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stack.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = z.object({ port: z.int() }).parse(server.address());
    const upstreams = [{ provider: 'cohere', model: 'recorded' }];
    const common = { name: 'Recorded', tier: 'paid' as const, upstreams };
    gateway = stack.use(
      await startGateway({
        document: () => ({
          providers: [
            {
              id: 'cohere',
              name: 'Recorded',
              kind: 'cohere',
              base_url: `http://127.0.0.1:${port}`,
              credential_env: 'SIMULATED_API_KEY',
            },
          ],
          models: [
            {
              ...common,
              id: 'cohere/chat',
              capability: 'chat',
              max_output_tokens: 10_000,
              pricing: { input_per_million_usd: '2.000003', output_per_million_usd: '12.000007' },
            },
            {
              ...common,
              id: 'cohere/embed',
              capability: 'embeddings',
              pricing: { input_per_million_usd: '2.000003' },
            },
            {
              ...common,
              id: 'cohere/rerank',
              capability: 'rerank',
              pricing: { search_unit_usd: '0.002000001' },
            },
          ],
        }),
      }),
    );
    books = stack.use(openBooks(gateway.databaseUrl));
    ({ rawKey } = await gateway.createKey());
  });
  afterAll(() => stack.disposeAsync());

  const post = (path: string, body: object) => postJson(gateway.baseUrl, rawKey, path, body);
  const charged = async (requestId: string) => (await usageOf(books, requestId)).charged;

  describe.each(CALLERS)('asked for in $title', (caller) => {
    it.each(chats)(
      'loses no text, thought, call or usage, and costs what Cohere bills: $name',
      async (answer) => {
        replayed = answer;
        const said = saidIn(answer);
        const told = await caller.ask(gateway.baseUrl, rawKey, {
          model: 'cohere/chat',
          text: 'a '.repeat(said.usage.input),
          stream: answer.isStreamed,
          tools: TOOLS,
        });
        expect(told).toMatchObject(said);
        expect(await charged(told.requestId)).toBe(billByHand(said.usage));
      },
    );
  });

  it.each(embeddings)('has all of its vectors, and costs what Cohere bills: $name', async (answer) => {
    replayed = answer;
    const {
      embeddings: vectors,
      meta,
      texts,
    } = z
      .object({
        texts: z.array(z.string()),
        embeddings: z.object({ float: z.array(z.array(z.number())) }),
        meta: z.object({ billed_units: z.object({ input_tokens: z.int() }) }),
      })
      .parse(JSON.parse(answer.pieces[0] ?? ''));
    const response = await post('/v1/embeddings', { model: 'cohere/embed', input: texts });
    const input = meta.billed_units.input_tokens;
    expect(await response.json()).toMatchObject({
      data: vectors.float.map((embedding, index) => ({ index, embedding })),
      usage: { prompt_tokens: input, total_tokens: input },
    });
    const cost = billByHand({ input, output: 0 });
    expect(await charged(response.headers.get('x-request-id') ?? '')).toBe(cost);
  });

  it.each(ranked)('has all of its results, and costs its search units: $name', async (answer) => {
    replayed = answer;
    const { meta, results } = z
      .object({
        results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
        meta: z.object({ billed_units: z.object({ search_units: z.int() }) }),
      })
      .parse(JSON.parse(answer.pieces[0] ?? ''));
    const documents = Array.from({ length: Math.max(...results.map(({ index }) => index)) + 1 }, () => 'a');
    const response = await post('/v1/rerank', { model: 'cohere/rerank', query: 'a', documents });
    expect(await response.json()).toMatchObject({ results });
    const cost = BigInt(meta.billed_units.search_units) * SEARCH_NANO_USD;
    expect(await charged(response.headers.get('x-request-id') ?? '')).toBe(cost);
  });
});
