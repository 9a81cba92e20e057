import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import {
  type Books,
  openBooks,
  postJson,
  simulatedServiceAccount,
  startGateway,
  type TestGateway,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MATRIX_CALLERS, type MatrixCaller } from '../matrix/callers.ts';
import { eventsOf } from '../matrix/cell.ts';
import { usageOf } from '../money/money-fixture.ts';

/** Answers as Gemini really gave them, asked for in every API of chats, at Google’s own API and at Vertex AI. */

const folder = join(process.env.RECORDED_ANSWERS ?? '', 'google');
const isThere = process.env.RECORDED_ANSWERS !== undefined && existsSync(folder);
const EVENTS = '.chunks.txt';

interface Recorded {
  name: string;
  /** The whole answer, or the data of each event. */
  pieces: string[];
  isStreamed: boolean;
}

const answers: Recorded[] = isThere
  ? globSync(join(folder, '*.{json,chunks.txt}'))
      .sort()
      .map((file) => {
        const text = readFileSync(file, 'utf8');
        const isStreamed = file.endsWith(EVENTS);
        const pieces = isStreamed ? text.split('\n').filter((line) => line.trim() !== '') : [text];
        return { name: basename(file), pieces, isStreamed };
      })
  : [];
const isFailure = ({ pieces }: Recorded) => 'error' in z.looseObject({}).parse(JSON.parse(pieces[0] ?? ''));
const clean = answers.filter((answer) => !isFailure(answer));
const limited = answers.filter(isFailure);

const tokens = z.int().default(0);
const piece = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({
          parts: z
            .array(
              z.looseObject({
                text: z.string().optional(),
                thought: z.boolean().optional(),
                thoughtSignature: z.string().optional(),
                functionCall: z
                  .looseObject({ name: z.string().optional(), args: z.unknown().optional() })
                  .optional(),
              }),
            )
            .default([]),
        }),
      }),
    )
    .default([]),
  usageMetadata: z
    .looseObject({
      promptTokenCount: tokens,
      cachedContentTokenCount: tokens,
      toolUsePromptTokenCount: tokens,
      candidatesTokenCount: tokens,
      thoughtsTokenCount: tokens,
    })
    .optional(),
});

/** What an answer says, read by hand. */
function saidIn({ pieces }: Recorded) {
  const parsed = pieces.map((text) => piece.parse(JSON.parse(text)));
  const parts = parsed.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
  const usage = parsed.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata;
  if (usage === undefined) throw new Error('nothing was counted');
  const joined = (isThought: boolean) =>
    parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('');
  return {
    text: joined(false),
    thoughts: joined(true),
    names: parts.flatMap(({ functionCall }) => functionCall?.name ?? []),
    // Those that come in pieces are put together by the test of their translator.
    inputs: parts.flatMap(({ functionCall }) =>
      functionCall?.args === undefined ? [] : [functionCall.args],
    ),
    signatures: parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
    usage: {
      input: usage.promptTokenCount + usage.toolUsePromptTokenCount,
      cached: usage.cachedContentTokenCount,
      output: usage.candidatesTokenCount + usage.thoughtsTokenCount,
    },
  };
}

/** Picodollars for a token. */
const PRICES = { input: 2_000_003n, cached: 200_001n, output: 12_000_007n };

function billByHand({ cached, input, output }: { input: number; cached: number; output: number }): bigint {
  const picodollars =
    BigInt(input - cached) * PRICES.input + BigInt(cached) * PRICES.cached + BigInt(output) * PRICES.output;
  return (picodollars + 999n) / 1_000n;
}

const perMillion = (picodollars: bigint) => {
  const text = String(picodollars).padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`;
};

const KINDS = ['gemini', 'vertex'] as const;
type Kind = (typeof KINDS)[number];
const PLACES: Record<Kind, { path: string; credential_env: string }> = {
  gemini: { path: '/v1beta', credential_env: 'SIMULATED_API_KEY' },
  vertex: { path: '/v1/projects/-/locations/global', credential_env: 'SIMULATED_SERVICE_ACCOUNT' },
};
const modelOf = (kind: Kind) => `${kind}/gemini-3-pro`;
const QUESTION = { turns: [{ user: [{ text: 'a '.repeat(300) }] }] };
const TOOLS = ['weather', 'read_theme', 'read_screen', 'writeItems'].map((name) => ({
  name,
  parameters: { type: 'object' },
}));

describe.skipIf(!isThere)('a recorded answer of Gemini', () => {
  const stack = new AsyncDisposableStack();
  let gateway: TestGateway;
  let books: Books;
  let rawKey: string;
  let replayed: Recorded | undefined;
  let lastBody = '';

  beforeAll(async () => {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        lastBody = Buffer.concat(chunks).toString();
        if (replayed === undefined || req.method !== 'POST') return res.writeHead(404).end();
        if (isFailure(replayed)) {
          res.writeHead(429, { 'content-type': 'application/json' });
          return res.end(replayed.pieces[0]);
        }
        const isStreamed = req.url?.includes('streamGenerateContent?alt=sse') === true;
        res.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
        return res.end(
          isStreamed ? replayed.pieces.map((data) => `data: ${data}\r\n\r\n`).join('') : replayed.pieces[0],
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stack.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = z.object({ port: z.int() }).parse(server.address());
    gateway = stack.use(
      await startGateway({
        environment: (baseUrl) => ({ SIMULATED_SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl) }),
        document: () => ({
          providers: KINDS.map((kind) => ({
            id: kind,
            name: 'Recorded',
            kind,
            base_url: `http://127.0.0.1:${port}${PLACES[kind].path}`,
            credential_env: PLACES[kind].credential_env,
          })),
          models: KINDS.map((kind) => ({
            id: modelOf(kind),
            name: 'Recorded',
            capability: 'chat',
            tier: 'paid',
            max_output_tokens: 10_000,
            upstreams: [{ provider: kind, model: 'gemini-3-pro-preview' }],
            pricing: {
              input_per_million_usd: perMillion(PRICES.input),
              cached_input_per_million_usd: perMillion(PRICES.cached),
              output_per_million_usd: perMillion(PRICES.output),
            },
          })),
        }),
      }),
    );
    books = stack.use(openBooks(gateway.databaseUrl));
    ({ rawKey } = await gateway.createKey());
  });
  afterAll(() => stack.disposeAsync());

  function askAt(
    kind: Kind,
    caller: MatrixCaller,
    question: Parameters<MatrixCaller['request']>[0],
    stream: boolean,
  ) {
    const request: Record<string, unknown> = { ...caller.request(question), model: modelOf(kind), stream };
    if (!stream) delete request.stream_options;
    return postJson(gateway.baseUrl, rawKey, caller.path, request);
  }

  const cases = KINDS.flatMap((kind) => MATRIX_CALLERS.map((caller) => ({ kind, caller })));
  describe.each(cases)('in $caller.title at $kind', ({ caller, kind }) => {
    const ask = (...asked: Parameters<typeof askAt> extends [Kind, ...infer Rest] ? Rest : never) =>
      askAt(kind, ...asked);

    it.each(clean)(
      'loses no text, call, thought or usage, and costs what that says: $name',
      async (answer) => {
        replayed = answer;
        const response = await ask(caller, { ...QUESTION, tools: TOOLS, most: 4_000 }, answer.isStreamed);
        const text = await response.text();
        expect(response.status, text.slice(0, 500)).toBe(200);
        const told = caller.answer(answer.isStreamed ? caller.assembled(eventsOf(text)) : JSON.parse(text));
        const said = saidIn(answer);
        expect(told.text).toBe(said.text);
        expect(told.thoughts).toBe(said.thoughts);
        expect(told.calls.map(({ name }) => name)).toEqual(said.names);
        expect(told.calls.map(({ input }) => input)).toEqual(expect.arrayContaining(said.inputs));
        expect(new Set(told.calls.map(({ id }) => id)).size).toBe(told.calls.length);
        expect(told.stop).toBe(told.calls.length > 0 ? 'tool_calls' : 'stop');
        expect(told.usage).toEqual(said.usage);
        const id = response.headers.get('x-request-id') ?? '';
        expect((await usageOf(books, id)).charged).toBe(billByHand(said.usage));
      },
    );

    it.each(clean)('gives its signatures back byte for byte: $name', async (answer) => {
      replayed = answer;
      const question = { ...QUESTION, tools: TOOLS };
      const text = await (await ask(caller, question, answer.isStreamed)).text();
      const first = caller.answer(answer.isStreamed ? caller.assembled(eventsOf(text)) : JSON.parse(text));
      const results = first.calls.map(({ id }) => ({ id, parts: [{ text: 'sunny' }] }));
      const next = results.length > 0 ? { results } : { user: [{ text: 'Go on.' }] };
      const turns = [...QUESTION.turns, { again: first.again }, next];
      expect((await ask(caller, { ...question, turns }, answer.isStreamed)).status).toBe(200);
      const { signatures } = saidIn(answer);
      expect(signatures.length).toBeGreaterThan(0);
      for (const signature of signatures) expect(lastBody).toContain(JSON.stringify(signature));
    });

    it.each(limited)('that is a refusal for now says how long to wait: $name', async (answer) => {
      replayed = answer;
      const response = await ask(caller, QUESTION, false);
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('35');
      await response.body?.cancel();
    });

    it.each(clean.filter((answer) => answer.isStreamed))(
      'that breaks off never looks complete: $name',
      async (answer) => {
        replayed = { ...answer, pieces: answer.pieces.slice(0, -1) };
        const response = await ask(caller, { ...QUESTION, tools: TOOLS }, true);
        let text = '';
        const read = async () => {
          for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
        };
        await expect(read()).rejects.toThrow();
        expect(text).toContain(caller.failureMark);
        expect(text).not.toContain(caller.endMark);
      },
    );
  });
});
