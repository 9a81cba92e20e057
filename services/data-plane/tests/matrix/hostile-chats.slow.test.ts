import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matrixOptions, modelIdOf } from './cell.ts';
import { HOSTILE_CHATS } from './hostile-chats.ts';
import { MATRIX_KINDS, type MatrixKind } from './kinds.ts';

const gateway = withGateway(matrixOptions(MATRIX_KINDS));

const failure = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string(), param: z.string().nullable() }),
});

interface Heard {
  status: number;
  /** The code of the error, and the field that it names. */
  refused: { code: string; param: string | null; message: string } | undefined;
  ignored: string[];
}

async function ask(kind: MatrixKind, request: object): Promise<Heard> {
  const response = await gateway.post('chat/completions', {
    ...request,
    model: modelIdOf(kind),
  });
  const { headers, status } = response;
  const body: unknown = await response.json();
  return {
    status,
    refused: status === 200 ? undefined : failure.parse(body).error,
    ignored: headers.get('x-gateway-ignored')?.split(', ') ?? [],
  };
}

/** Vertex AI takes what Gemini takes, but for its address. */
const KINDS = MATRIX_KINDS.filter(({ title }) => title !== 'Vertex' && title !== 'OpenAI');

describe.each(Object.entries(HOSTILE_CHATS))('%s', (_name, request) => {
  it('every kind of provider answers, or refuses with a message that names the mistake', async () => {
    for (const kind of KINDS) {
      const { refused, status } = await ask(kind, request);
      expect([200, 400, 422], kind.title).toContain(status);
      if (refused === undefined) continue;
      const isQuoted = refused.code === 'upstream_rejected' && refused.message.length > 20;
      const isNamed = refused.param !== null && refused.message.includes(refused.param);
      expect(isQuoted || isNamed || refused.code === 'invalid_json', JSON.stringify(refused)).toBe(true);
    }
  });
});

/** Requests that are refused before the provider is asked, and the field that is named. */
const REFUSED: readonly (readonly [what: string, field: string, kinds: readonly string[]])[] = [
  [
    'result without call',
    'messages[1].tool_call_id',
    ['Gemini', 'Bedrock Converse', 'Bedrock Claude', 'Cohere'],
  ],
  [
    'call without result',
    'messages[1].tool_calls[0]',
    ['Gemini', 'Bedrock Converse', 'Bedrock Claude', 'Cohere'],
  ],
  ['call last', 'messages[1].tool_calls[0]', ['Gemini', 'Bedrock Converse', 'Bedrock Claude', 'Cohere']],
  [
    'two results for one',
    'messages[3].tool_call_id',
    ['Gemini', 'Bedrock Converse', 'Bedrock Claude', 'Cohere'],
  ],
  [
    'duplicate ids in turn',
    'messages[1].tool_calls[1]',
    ['Gemini', 'Bedrock Converse', 'Bedrock Claude', 'Cohere'],
  ],
  ['empty id', 'messages[1].tool_calls[0].id', ['Cohere']],
  ['args no json', 'messages[1].tool_calls[0].function.arguments', ['Gemini', 'Bedrock Converse', 'Cohere']],
  ['args array', 'messages[1].tool_calls[0].function.arguments', ['Gemini', 'Bedrock Converse', 'Cohere']],
  ['choice named unknown', 'tool_choice.function.name', ['Gemini', 'Bedrock Converse', 'Bedrock Claude']],
  ['choice named unknown', 'tool_choice', ['Cohere']],
  ['choice allowed none', 'tool_choice', ['Gemini', 'Bedrock Converse', 'Bedrock Claude', 'Cohere']],
  ['stop 6', 'stop', ['Gemini', 'Cohere']],
];

it.each(REFUSED.flatMap(([what, field, kinds]) => kinds.map((title) => ({ what, field, title }))))(
  'a chat with $what is refused for $title before it is asked, and the error names $field',
  async ({ field, title, what }) => {
    const kind = KINDS.find((one) => one.title === title);
    if (kind === undefined) throw new Error(`there is no ${title}`);
    const { refused } = await ask(kind, HOSTILE_CHATS[what] ?? {});
    expect(refused).toMatchObject({ code: 'invalid_request', param: field });
    expect(gateway.provider.requests).toHaveLength(0);
  },
);

/**
 * Requests that work, although a provider would refuse them as they are; `ignored`: fields left out for that.
 */
const WORKS: readonly (readonly [what: string, title: string, ignored: readonly string[]])[] = [
  ['long id cut collides', 'Bedrock Converse', []],
  ['two long ids alike', 'Bedrock Converse', []],
  ['stop empty string', 'Gemini', ['stop']],
  ['forged signature', 'Bedrock Converse', ['messages[].reasoning_details']],
  ['forged gemini sig', 'Bedrock Claude', ['messages[].reasoning_details']],
  ['same id in two turns', 'Cohere', []],
  ['parallel out of order', 'Gemini', []],
  ['parallel out of order', 'Cohere', []],
];

it.each(WORKS)('a chat with %s works at %s', async (what, title, ignored) => {
  const kind = KINDS.find((one) => one.title === title);
  if (kind === undefined) throw new Error(`there is no ${title}`);
  const heard = await ask(kind, HOSTILE_CHATS[what] ?? {});
  expect(heard.refused).toBeUndefined();
  expect(heard.ignored).toEqual(expect.arrayContaining([...ignored]));
});
