import { until, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { billOfCall, countedIn } from '../agents/bill-of-call.ts';
import { type RecordedCall, startRecordingProxy } from '../agents/recording-proxy.ts';
import { MATRIX_PRICES, matrixOptions, modelIdOf } from '../matrix/cell.ts';
import { CLIENT_KINDS, type MatrixKind, SIGNED_THOUGHT } from '../matrix/kinds.ts';
import { tokensOf } from '../recorded/bill-by-hand.ts';
import type { Client, ClientKind, ClientRequest, ClientTool, Usage } from './client.ts';

/** What a client sent and received, as the client and the provider saw it. */
interface Exchange {
  requestIds: string[];
  calls: RecordedCall[];
  usages: (Usage | undefined)[];
}

/**
 * Declares the tests of these client libraries at each kind of provider: what their users get, and what is
 * billed.
 */
export function testClients(clients: readonly ClientKind[]): void {
  const proxy = withStarted(() => startRecordingProxy());
  const gateway = withGateway(
    matrixOptions(CLIENT_KINDS, (baseUrl) => {
      proxy.target = baseUrl;
      return proxy.baseUrl;
    }),
  );
  /** The requests that were answered, by client and kind of provider. */
  const answered = new Map<string, Exchange[]>();

  beforeEach(() => {
    proxy.calls.length = 0;
  });

  const SAID = 'A glacier is a river of ice.';
  const PNG =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  /**
   * `isNeverStrict`: OpenAI refuses it with `strict: true`. `except`: clients that refuse it themselves, or
   * tell the model less than the schema says.
   */
  const SCHEMAS: { title: string; schema: z.ZodObject; isNeverStrict?: true; except?: RegExp }[] = [
    {
      title: 'bounds and formats',
      schema: z.object({
        name: z.string().min(1).max(80),
        email: z.email(),
        age: z.number().int().min(0).max(150),
        nickname: z.string().nullable(),
      }),
    },
    {
      title: 'unions and nested arrays',
      schema: z.object({
        contact: z.union([z.object({ phone: z.string() }), z.object({ post: z.string() })]),
        grid: z.array(z.array(z.number().min(0)).min(1).max(4)).min(1),
      }),
    },
    {
      title: 'a discriminated union',
      schema: z.object({
        mood: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('good') }),
          z.object({ kind: z.literal('bad'), reason: z.string() }),
        ]),
      }),
      isNeverStrict: true,
      except: /ChatAnthropic/,
    },
    {
      title: 'a record',
      schema: z.object({ scores: z.record(z.string(), z.number()) }),
      isNeverStrict: true,
      except: /^OpenAI's client/,
    },
  ];
  const OPENAI_KINDS: ReadonlySet<string> = new Set(['OpenAI', 'OpenAI Responses', 'Azure']);
  /** OpenAI's own libraries rewrite such schemas, and Messages has no strict format. */
  const sendsStrictUnchanged = ({ api, title }: ClientKind) =>
    api !== 'Messages' && /^(AI SDK|LangChain)/.test(title);
  const input = z.object({ a: z.number().min(0).max(100) });
  const TOOLS: readonly ClientTool[] = [
    { name: 'double', input, run: (given) => `twice is ${input.parse(given).a * 2}` },
    { name: 'halve', input, run: (given) => `half is ${input.parse(given).a / 2}` },
  ];
  /** The simulated models call these tools, in two turns. */
  const TASK = 'use double: {"a":21}\nalso use halve: {"a":8}\nuse halve: {"a":42}';
  /** More attempts than the gateway makes. */
  const ATTEMPTS = 4;

  describe.each(CLIENT_KINDS)('a provider of the kind $title', (kind) => {
    describe.each(clients)('$title', (client) => {
      /** Sends requests, and records what to compare with the bill. */
      async function exchange(
        ask: (client: Client) => Promise<readonly (Usage | undefined)[]>,
      ): Promise<Exchange> {
        const requestIds: string[] = [];
        const usages = [
          ...(await ask(client.connect({ ...connection(requestIds), model: modelIdOf(kind) }))),
        ];
        await until(async () => proxy.calls.length === requestIds.length);
        const done = { requestIds, calls: [...proxy.calls], usages };
        answered.set(pair(kind, client), [...(answered.get(pair(kind, client)) ?? []), done]);
        return done;
      }

      it.each([false, true])('the client returns the text; streamed: %s', async (stream) => {
        gateway.provider.script({ content: SAID });
        await exchange(async (connected) => {
          const { text, usage } = await connected.ask({ text: 'What is a glacier?', stream });
          expect(text).toBe(SAID);
          return [usage];
        });
      });

      it.each([false, true])(
        'the client runs parallel tool calls in two turns and sends thoughts back; streamed: %s',
        async (stream) => {
          const { calls } = await exchange(async (connected) => {
            const responses = await connected.runTools({ text: TASK, stream, thinks: true }, TOOLS);
            expect(responses.map(({ calls: called }) => called)).toEqual([
              [
                { name: 'double', input: { a: 21 } },
                { name: 'halve', input: { a: 8 } },
              ],
              [{ name: 'halve', input: { a: 42 } }],
              [],
            ]);
            expect(responses.at(-1)?.text).not.toBe('');
            return responses.map(({ usage }) => usage);
          });
          if (client.returnsThoughts && kind.checksThoughtsOf.includes(client.api)) {
            expect(calls.at(-1)?.request).toMatch(SIGNED_THOUGHT);
          }
          for (const said of ['twice is 42', 'half is 4', 'half is 21']) {
            expect(calls.at(-1)?.request).toContain(said);
          }
        },
      );

      it.each(
        SCHEMAS.filter(({ except }) => except?.test(client.title) !== true).flatMap((one) => [
          { ...one, stream: false },
          { ...one, stream: true },
        ]),
      )(
        'the client returns an object that matches a schema with $title; streamed: $stream',
        async ({ isNeverStrict, schema, stream }) => {
          const asked = { text: 'Invent a person.', stream };
          if (isNeverStrict === true && sendsStrictUnchanged(client) && OPENAI_KINDS.has(kind.title)) {
            const requestIds: string[] = [];
            const connected = client.connect({ ...connection(requestIds), model: modelIdOf(kind) });
            await expect(connected.parse(asked, schema)).rejects.toThrow();
            refused.push(...requestIds);
            expect(proxy.calls.at(-1)?.answer.toString()).toContain('Invalid schema for response_format');
            return;
          }
          await exchange(async (connected) => {
            const { parsed, usage } = await connected.parse(asked, schema);
            expect(() => schema.parse(parsed)).not.toThrow();
            return [usage];
          });
        },
      );

      it('the client sends a picture', async () => {
        const { calls } = await exchange(async (connected) => {
          const { text, usage } = await connected.ask({ text: 'What is this?', stream: false, png: PNG });
          expect(text).not.toBe('');
          return [usage];
        });
        expect(calls[0]?.request).toContain(PNG);
      });

      it.each([false, true])(
        'the client raises its rate-limit error on 429; streamed: %s',
        async (stream) => {
          gateway.provider.script(
            ...Array.from({ length: ATTEMPTS }, () => ({ status: 429, retry_after: 7 })),
          );
          const error = await failureOf(client, { text: 'Hi.', stream });
          expect(client.isRateLimit(error), String(error)).toBe(true);
        },
      );

      it.each([false, true])(
        "the client raises its bad-request error, in the provider's words, when a prompt is too long; streamed: %s",
        async (stream) => {
          gateway.provider.script({ status: 400, message: kind.tooLong });
          const error = await failureOf(client, { text: 'Hi.', stream });
          expect(client.isRejection(error), String(error)).toBe(true);
          expect(String(error)).toContain(kind.tooLong.slice(0, 40));
        },
      );

      async function failureOf(failing: ClientKind, asked: ClientRequest): Promise<unknown> {
        const requestIds: string[] = [];
        const connected = failing.connect({ ...connection(requestIds), model: modelIdOf(kind) });
        const error: unknown = await connected.ask(asked).then(
          () => new Error('it was answered'),
          (thrown: unknown) => thrown,
        );
        expect(requestIds).toHaveLength(1);
        refused.push(...requestIds);
        return error;
      }
    });
  });

  const refused: string[] = [];
  const pair = (kind: MatrixKind, client: ClientKind) => `${client.title} at ${kind.title}`;

  function connection(requestIds: string[]) {
    return {
      baseUrl: gateway.baseUrl,
      rawKey: gateway.rawKey,
      fetch: async (url: string | URL | Request, init?: RequestInit) => {
        const response = await fetch(url, init);
        requestIds.push(response.headers.get('x-request-id') ?? '');
        return response;
      },
    };
  }

  const record = z.object({
    request_id: z.string(),
    usage_source: z.string().nullable(),
    input_tokens: z.bigint(),
    output_tokens: z.bigint(),
    charged: z.bigint(),
  });

  async function recordsOf(requestIds: readonly string[]): Promise<z.infer<typeof record>[]> {
    const rows = await gateway.books.query('SELECT * FROM usage_records WHERE request_id = ANY($1)', [
      requestIds,
    ]);
    return z.array(record).parse(rows);
  }

  describe('the usage that the provider reported', () => {
    const pairs = CLIENT_KINDS.flatMap((kind) => clients.map((client) => pair(kind, client)));
    it.each(pairs)(
      'the client shows, and the bill has, the usage that the provider reported: %s',
      async (name) => {
        const exchanges = answered.get(name) ?? [];
        const requestIds = exchanges.flatMap((one) => one.requestIds);
        let records: z.infer<typeof record>[] = [];
        await until(async () => {
          records = await recordsOf(requestIds);
          return records.length === requestIds.length;
        });
        for (const { calls, requestIds: ids, usages } of exchanges) {
          const counted = calls.map((call) => {
            const { fresh, output, read, write1h, write5m } = tokensOf(countedIn(call));
            return { input: fresh + read + write1h + write5m, output };
          });
          expect(usages.map((usage, index) => usage ?? counted[index])).toEqual(counted);
          for (const [index, call] of calls.entries()) {
            const billed = records.find(({ request_id: id }) => id === ids[index]);
            expect(billed).toMatchObject({
              usage_source: 'provider',
              input_tokens: BigInt(counted[index]?.input ?? 0),
              output_tokens: BigInt(counted[index]?.output ?? 0),
              charged: billOfCall(call, MATRIX_PRICES),
            });
          }
        }
      },
    );

    it('a refused request costs nothing', async () => {
      for (const { charged } of await recordsOf(refused)) expect(charged).toBe(0n);
    });
  });
}
