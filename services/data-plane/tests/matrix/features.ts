import { readAll } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { type Cell, errorMessage, eventsOf, Ignored } from './cell.ts';
import { MATRIX_KINDS, SIGNED_THOUGHT } from './kinds.ts';
import type { Answer, AskedPart, Question, QuestionTool } from './question.ts';
import type { Feature } from './verdicts.ts';

const SAID = 'A glacier is a river of ice.';
/** A PNG of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type /Page>>endobj\n%%EOF').toString('base64');
const RETRY_SECONDS = 7;
const SECRET = 'sk-simulated-0123456789abcdef';
const REFUSAL = 'The parameter tone must be kind.';
const WORDS = `${REFUSAL} You used the key ${SECRET}. ${'See the documentation. '.repeat(40)}`;
/** How providers write errors; the last one is plain text. */
const ERROR_FORMS = [
  { error: { message: WORDS } },
  { error: WORDS },
  { message: WORDS },
  { message: { detail: [{ loc: ['body', 'tone'], msg: WORDS }] } },
  { detail: WORDS },
  [{ error: { message: WORDS } }],
  WORDS,
];
const MAX_MESSAGE_LENGTH = 500;
/** The kinds whose signatures and encrypted reasoning a caller may hold. */
const THINKERS = MATRIX_KINDS.filter(({ title }) =>
  ['OpenAI Responses', 'Anthropic', 'Gemini'].includes(title),
);
/** More attempts than the gateway makes. */
const ATTEMPTS = 4;

const user = (...parts: (string | AskedPart)[]) => ({
  user: parts.map((part) => (typeof part === 'string' ? { text: part } : part)),
});
const ask = (...parts: (string | AskedPart)[]): Question => ({ turns: [user(...parts)] });

const number = { type: 'number' };
const tool = (name: string): QuestionTool => ({
  name,
  parameters: { type: 'object', properties: { a: number }, required: ['a'], additionalProperties: false },
});
const TOOLS = [tool('double'), tool('halve')];
const CALLS_OF_TWO = 'use double: {"a":21}\nalso use halve: {"a":8}';
const CALL_OF_ONE = 'use double: {"a":21}';

/** Proves a feature in one cell of the matrix, and throws when it does not work. */
export const PROOFS: Readonly<Record<Feature, (cell: Cell) => Promise<void>>> = {
  text: async (cell) => {
    for (const answered of await both(cell, ask('What is a glacier?'), { content: SAID })) {
      expect(answered).toMatchObject({ text: SAID, calls: [], stop: 'stop' });
      expect(answered.usage.input).toBeGreaterThan(0);
      expect(answered.usage.output).toBeGreaterThan(0);
    }
  },

  system: async (cell) => {
    const turns = [user('Who are you?'), { instruction: 'Whisper.' }];
    await cell.whole({ turns, system: 'You are a lighthouse.' });
    expect(cell.seen).toContain('You are a lighthouse.');
    if (cell.caller.title !== 'Messages') expect(cell.seen).toContain('Whisper.');
  },

  'parallel tools': async (cell) => {
    const question = { ...ask(CALLS_OF_TWO), tools: TOOLS };
    for (const answered of [await cell.whole(question), await cell.streamed(question)]) {
      expect(answered.stop).toBe('tool_calls');
      expect(answered.calls.map(({ input, name }) => ({ input, name }))).toEqual([
        { name: 'double', input: { a: 21 } },
        { name: 'halve', input: { a: 8 } },
      ]);
      expect(new Set(answered.calls.map(({ id }) => id)).size).toBe(2);
    }
    const first = await cell.whole(question);
    const again = await cell.whole({
      ...question,
      turns: [...question.turns, { again: first.again }, resultsOf(first, [{ text: 'forty-two' }])],
    });
    expect(again).toMatchObject({ stop: 'stop', calls: [] });
    expect(again.text).not.toBe('');
    expect(cell.seen).toContain('forty-two');
  },

  'tool result with picture': async (cell) => {
    const question = { ...ask(CALL_OF_ONE), tools: TOOLS };
    const first = await cell.whole(question);
    const results = resultsOf(first, [{ text: 'as drawn' }, { png: PNG }]);
    const again = await cell.whole({
      ...question,
      turns: [...question.turns, { again: first.again }, results],
    });
    expect(again.text).not.toBe('');
    expect(cell.seen).toContain(PNG);
    expect(cell.seen).toContain('as drawn');
  },

  'picture in': async (cell) => {
    await cell.whole(ask('What is this?', { png: PNG }));
    expect(cell.seen).toContain(PNG);
  },

  'PDF in': async (cell) => {
    await cell.whole(ask('What is this?', { pdf: PDF }));
    expect(cell.seen).toContain(PDF);
  },

  'JSON schema': async (cell) => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'integer' } },
      required: ['city', 'people'],
      additionalProperties: false,
    };
    const question = { ...ask('Name a city.'), schema };
    for (const { text } of [await cell.whole(question), await cell.streamed(question)])
      expect(JSON.parse(text)).toEqual({ city: expect.any(String), people: expect.any(Number) });
    // In some APIs a schema is a text.
    expect(cell.seen.replaceAll('\\"', '"')).toContain('"people"');
  },

  'strict schema': async (cell) => {
    const schema = {
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, maximum: 150 },
        email: { type: 'string', format: 'email' },
        tags: { type: 'array', maxItems: 3, items: { type: 'string' } },
      },
      required: ['age', 'email', 'tags'],
      additionalProperties: false,
    };
    const question = { ...ask('Invent a person.'), schema };
    for (const { text } of [await cell.whole(question), await cell.streamed(question)])
      expect(JSON.parse(text)).toMatchObject({ age: expect.any(Number), email: expect.any(String) });
  },

  'thinking replayed': async (cell) => {
    if (!cell.kind.checksThoughtsOf.includes(cell.caller.title)) {
      const thought = { thought: 'Ice flows slowly.', said: SAID };
      const question = { turns: [user('What is a glacier?'), thought, user('And a fjord?')] };
      const response = await cell.ask(question);
      expect(response.status).toBe(200);
      if (cell.seen.includes('Ice flows slowly.')) return;
      expect(response.headers.get('x-gateway-ignored')).toMatch(/thinking|reasoning/);
      throw new Ignored();
    }
    const question = { ...ask(CALL_OF_ONE), tools: TOOLS, thinks: true };
    for (const first of [await cell.whole(question), await cell.streamed(question)]) {
      expect(first.calls).toHaveLength(1);
      const again = await cell.whole({
        ...question,
        turns: [...question.turns, { again: first.again }, resultsOf(first, [{ text: '42' }])],
      });
      expect(again.text).not.toBe('');
    }
    // The simulations check that what was signed comes back unchanged.
    expect(cell.seen).toMatch(SIGNED_THOUGHT);
  },

  'model switch with thinking': async (cell) => {
    const question = { ...ask(CALL_OF_ONE), tools: TOOLS, thinks: true };
    for (const thinker of THINKERS.filter((kind) => kind !== cell.kind)) {
      const first = await cell.at(thinker).whole(question);
      const { requests } = cell.gateway.provider;
      const before = requests.length;
      const response = await cell.ask({
        ...question,
        turns: [...question.turns, { again: first.again }, resultsOf(first, [{ text: '42' }])],
      });
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
      // A second request would mean that the provider has refused the first.
      expect(requests.length - before).toBe(1);
      if (!SIGNED_THOUGHT.test(cell.seen))
        expect(response.headers.get('x-gateway-ignored')).toMatch(
          /thinking|reasoning|signature|encrypted|extra_content/,
        );
    }
  },

  'cached tokens': async (cell) => {
    const long = ask(`What do you know about ${'ice and '.repeat(50)}snow?`);
    for (const { usage } of await both(cell, long, { cached_tokens: 17 })) {
      expect(usage.cached).toBe(17);
      expect(usage.input).toBeGreaterThan(17);
    }
  },

  'stop reasons': async (cell) => {
    const cut = { ...ask('Tell me about ice.'), most: 16 };
    for (const { stop } of await both(cell, cut, { content: SAID.repeat(20) })) expect(stop).toBe('length');
    for (const { stop } of await both(cell, ask('Hi.'), { content: SAID })) expect(stop).toBe('stop');
    const calling = await cell.whole({ ...ask(CALL_OF_ONE), tools: TOOLS });
    expect(calling.stop).toBe('tool_calls');
  },

  refusal: async (cell) => {
    const { refusalReason } = cell.kind;
    for (const { stop } of await both(cell, ask('Hi.'), { stop_reason: refusalReason })) {
      expect(stop).toBe('refusal');
    }
  },

  'context too long': async (cell) => {
    const { kind, gateway } = cell;
    for (const stream of [false, true]) {
      gateway.provider.script({ status: 400, message: kind.tooLong });
      const response = await cell.ask(ask('Hi.'), { stream });
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(text).toContain(kind.tooLong.slice(0, 40));
      // The words and codes by which agents know that they must compact the conversation.
      expect(text).toContain(cell.caller.tooLongMark);
    }
  },

  'error forms': async (cell) => {
    for (const form of ERROR_FORMS)
      for (const stream of [false, true]) {
        const body = typeof form === 'string' ? form : JSON.stringify(form);
        cell.gateway.provider.script({ status: 400, body });
        const response = await cell.ask(ask('Hi.'), { stream });
        expect(response.status).toBe(400);
        const message = errorMessage(await response.text());
        expect(message).toContain(REFUSAL);
        expect(message).not.toContain(SECRET);
        expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH);
      }
  },

  'rate limited': async (cell) => {
    const faults = Array.from({ length: ATTEMPTS }, () => ({ status: 429, retry_after: RETRY_SECONDS }));
    cell.gateway.provider.script(...faults);
    const response = await cell.ask(ask('Hi.'));
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe(String(RETRY_SECONDS));
    await response.body?.cancel();
  },

  'error in mid-stream': async (cell) => {
    cell.gateway.provider.script({ sse: 'error_event', content: SAID });
    const response = await cell.ask(ask('Hi.'), { stream: true });
    const { isBroken, text } = await readAll(response);
    expect(text).toContain(cell.caller.failureMark);
    expect(text).not.toContain(cell.caller.endMark);
    expect(isBroken).toBe(true);
    expect(cell.caller.textOf(eventsOf(text)).length).toBeLessThan(SAID.length);
  },

  'client gone': async (cell) => {
    const leave = new AbortController();
    cell.gateway.provider.script({ content: SAID.repeat(20), token_delay_ms: 20 });
    const response = await cell.ask(ask('Hi.'), { stream: true, signal: leave.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await reader?.closed.catch(() => undefined);
    const request = await cell.gateway.provider.waitForRequest();
    expect((await request.closed).reason).toBe('client_closed');
  },
};

function resultsOf({ calls }: Answer, parts: readonly AskedPart[]) {
  return { results: calls.map(({ id }) => ({ id, parts })) };
}

type Fault = Parameters<Cell['gateway']['provider']['script']>[0];

/** Asks the same question plain and streamed, with the same fault. */
async function both(cell: Cell, question: Question, fault: Fault): Promise<Answer[]> {
  cell.gateway.provider.script(fault);
  const whole = await cell.whole(question);
  cell.gateway.provider.script(fault);
  return [whole, await cell.streamed(question)];
}
