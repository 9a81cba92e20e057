import { chatBody, PROVIDER_CREDENTIAL, withStarted } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { LARGE_ANSWER_BYTES } from '../../src/upstream/relay-json.ts';
import { wavOf } from '../endpoints/wav.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { startLargeAnswers } from './large-answers.ts';

// A breaker would answer in the provider's place.
const provider = withStarted(() => startLargeAnswers({ overrides: withoutBreakers() }));

type Asked = readonly [path: string, body: object];

const chat = ['chat/completions', chatBody({ model: 'sim/chat-pro' })] as const;
const asked = { max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };
const claude = ['messages', { model: 'sim/claude-pro', ...asked }] as const;
/** Requests that are translated for the provider, in both directions. */
const claudeOfChat = ['messages', { model: 'sim/chat-pro', ...asked }] as const;
const chatOfClaude = ['chat/completions', { model: 'sim/claude-pro', ...asked }] as const;
const embed = ['embeddings', { model: 'sim/embed-pro', input: ['a', 'b'] }] as const;
const image = ['images/generations', { model: 'sim/image-pro', prompt: 'a', n: 3 }] as const;
const rerank = [
  'rerank',
  { model: 'sim/rerank-pro', query: 'q', documents: ['one', 'two', 'three'] },
] as const;
const complete = ['completions', { model: 'sim/complete-pro', prompt: 'one', n: 2 }] as const;
const moderate = ['moderations', { model: 'sim/moderate-pro', input: ['one', 'two'] }] as const;
const documents = ['rerank', { ...rerank[1], return_documents: true }] as const;
const audio = { data: wavOf(1).toString('base64'), filename: 'a.wav', mime_type: 'audio/wav' };
const transcribe = ['audio/transcriptions', { model: 'sim/transcribe-pro', file: audio }] as const;

const secret = PROVIDER_CREDENTIAL;
const escaped = [...secret]
  .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('');
/** A provider's error message, which must not reach the client. */
const INTERNAL = 'worker 7 of rack 3 is out of memory';
const completion = (rest: string, message = '{"role":"assistant","content":"é \\u00e9 \\"x\\" \\n"}') =>
  `{"id":"c1","object":"chat.completion","created":1,"model":"theirs","choices":[{"index":0,"message":${message},"finish_reason":"stop"}]${rest}}`;
const message = (rest: string, content = '[{"type":"text","text":"é \\u00e9 \\"x\\" \\n"}]') =>
  `{"id":"m1","type":"message","role":"assistant","model":"theirs","content":${content},"stop_reason":"end_turn"${rest}}`;
const messageUsage = ',"usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":4}';
const turns =
  ',"usage":{"input_tokens":3,"output_tokens":4,"iterations":[' +
  '{"input_tokens":30,"output_tokens":4,"type":"compaction"},{"input_tokens":3,"output_tokens":4}]}';
const thought =
  '[{"type":"thinking","thinking":"hm \\u00e9","signature":"c2ln"},{"type":"text","text":"a"},' +
  '{"type":"tool_use","id":"t","name":"n","input":{"a":[1.50,"\\u00e9"]}}]';
const MESSAGES_OF: readonly (readonly [string, Asked])[] = [
  ['of Messages', claude],
  ['of Chat Completions', chatOfClaude],
];
const list = (data: string, rest = '') => `{"object":"list","data":${data},"model":"theirs"${rest}}`;
const vector = '{"object":"embedding","index":0,"embedding":[0.1,-2e-3]}';
const results = (...all: string[]) =>
  `{"id":"r","results":[${all.join(',')}],"meta":{"billed_units":{"search_units":2}}}`;
const moderated = '{"flagged":true,"categories":{"\\u0061":true},"category_scores":{"a":0.50}}';
const result = (index: number, score: number, rest = '') =>
  `{"index":${index},"relevance_score":${score}${rest}}`;

it.each<[name: string, asked: Asked, answer: string]>([
  ['a completion', chat, completion(',"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}')],
  ['a completion without usage', chat, completion('')],
  ['a completion with an absurd usage', chat, completion(',"usage":{"prompt_tokens":-3}')],
  ['a completion with null for usage', chat, completion(',"usage":null')],
  ['a completion without choices', chat, '{"id":"x","model":"m"}'],
  ['a completion of no choices', chat, '{"id":"x","model":"m","choices":[]}'],
  ['a completion that is a failure', chat, completion(`,"error":{"code":502,"message":"${INTERNAL}"}`)],
  ['a completion without a failure', chat, completion(',"error":null')],
  ['a completion with a wrong choice', chat, '{"id":"x","model":"m","choices":[1]}'],
  [
    'a completion that names our credential',
    chat,
    completion('', `{"role":"assistant","content":"a ${secret} b"}`),
  ],
  [
    'a completion that hides our credential',
    chat,
    completion('', `{"role":"assistant","content":"a ${escaped} b"}`),
  ],
  ['a completion with another key twice', chat, completion(',"model":"other","mo\\u0064el":"third"')],
  ...MESSAGES_OF.flatMap(([caller, request]): [string, Asked, string][] => [
    [`a message for a caller ${caller}`, request, message(messageUsage)],
    [`a message with calls and thoughts for a caller ${caller}`, request, message(messageUsage, thought)],
    [`a message of several turns for a caller ${caller}`, request, message(turns)],
    [`a message without usage for a caller ${caller}`, request, message('')],
    [`a message with half a usage for a caller ${caller}`, request, message(',"usage":{"output_tokens":7}')],
    [`a message without content for a caller ${caller}`, request, '{"id":"m","type":"message","model":"m"}'],
    [`a message whose content is an object, for a caller ${caller}`, request, message(messageUsage, '{}')],
    [`a message with a wrong block for a caller ${caller}`, request, message(messageUsage, '[1]')],
    [
      `a failure for a caller ${caller}`,
      request,
      `{"type":"error","error":{"type":"api_error","message":"${INTERNAL}"}}`,
    ],
    [
      `a message that names our credential for a caller ${caller}`,
      request,
      message(messageUsage, `[{"type":"text","text":"a ${secret} b"}]`),
    ],
    [
      `a message that hides our credential for a caller ${caller}`,
      request,
      message(messageUsage, `[{"type":"text","text":"a ${escaped} b"}]`),
    ],
  ]),
  [
    'a completion for a caller of Messages',
    claudeOfChat,
    completion(',"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}'),
  ],
  ['a completion without usage for a caller of Messages', claudeOfChat, completion('')],
  [
    'a completion of no choices for a caller of Messages',
    claudeOfChat,
    '{"id":"x","model":"m","choices":[]}',
  ],
  ['embeddings', embed, list(`[${vector},${vector}]`, ',"usage":{"prompt_tokens":9,"total_tokens":9,"x":1}')],
  ['embeddings in base64', embed, list('[{"object":"embedding","index":0,"embedding":"AAAA\\/w=="}]')],
  ['embeddings with an absurd usage', embed, list(`[${vector}]`, ',"usage":{"prompt_tokens":"9"}')],
  ['embeddings without object and model', embed, `{"data":[${vector}]}`],
  ['no embeddings', embed, list('[]')],
  ['embeddings without a vector', embed, list('[{"index":0}]')],
  ['embeddings that are an object', embed, list('{}')],
  [
    'images',
    image,
    '{"created":1,"data":[{"b64_json":"AAAA"},{"url":"https://x/\\u0061"}],"usage":{"total_tokens":5}}',
  ],
  [
    'images with an absurd usage',
    image,
    '{"created":1,"data":[{"b64_json":"AAAA"}],"usage":{"total_tokens":-5}}',
  ],
  ['no images', image, '{"created":1,"data":[]}'],
  ['images that are texts', image, '{"created":1,"data":["x"]}'],
  [
    'results in any order',
    rerank,
    results(result(2, 0.1), result(0, 0.9), result(1, 0.5, ',"document":"x"')),
  ],
  [
    'results with texts',
    documents,
    results(
      result(1, 0.2, ',"document":{"text":"é\\n\\u0041"}'),
      result(2, 0.3, ',"document":"two"'),
      result(0, 0.1),
    ),
  ],
  [
    'results with null for texts',
    documents,
    results(result(1, 0.2, ',"document":{"text":null}'), result(0, 0.1, ',"document":null')),
  ],
  ['results with wrong texts', documents, results(result(1, 0.2, ',"document":{"text":5}'))],
  ['results with a wrong place', rerank, results(result(-1, 0.2))],
  ['no results', rerank, '{"id":"r"}'],
  [
    'text completions',
    complete,
    '{"id":"c","object":"text_completion","created":1,"model":"theirs","choices":[{"text":"\\u0061b","index":0,"logprobs":null},{"text":"","index":1}],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
  ],
  [
    'text completions that are not counted',
    complete,
    '{"id":"c","object":"text_completion","created":1,"choices":[{"text":"a long text","index":0}],"usage":{"prompt_tokens":-1}}',
  ],
  ['no text completions', complete, '{"choices":[]}'],
  ['an error in place of text completions', complete, '{"choices":[{"text":"a"}],"error":{"message":"b"}}'],
  ['moderations', moderate, `{"id":"m","results":[${moderated}],"usage":{"prompt_tokens":7}}`],
  [
    'moderations that are not counted',
    moderate,
    `{"model":"theirs","results":[${moderated}],"usage":{"prompt_tokens":-7}}`,
  ],
  ['no moderations', moderate, '{"results":[]}'],
  ['moderations that are texts', moderate, '{"results":["x"]}'],
  ['a transcript', transcribe, '{"text":"é \\u00e9","duration":1.5,"usage":{"type":"duration","seconds":2}}'],
  ['a transcript with an absurd usage', transcribe, '{"text":"a","usage":{"seconds":-2}}'],
  ['a transcript without text', transcribe, '{"duration":1}'],
  ['an answer that ends too early', embed, list(`[${vector}]`).slice(0, -1)],
  ['an answer with something after it', embed, `${list(`[${vector}]`)}x`],
  ['an array', chat, '[]'],
])(
  '%s: the client gets and pays the same, whether the response is small or large',
  async (_name, [path, body], answer) => {
    const ask = async (padding: number) => {
      // Leading spaces do not change JSON, and make the response a large one before it begins.
      provider.answer = Buffer.from(`${' '.repeat(padding)}${answer}`);
      const response = await provider.ask(path, body);
      const text = await response.text();
      expect(text).not.toContain(secret);
      expect(text).not.toContain(escaped);
      expect(text).not.toContain(INTERNAL);
      const parsed: Record<string, unknown> = JSON.parse(text);
      // An answer that was translated has the time of its translation, and an id of its own in Messages.
      const own = body === claudeOfChat[1] ? { created: 0, id: '' } : { created: 0 };
      const error =
        response.status === 200 ? { ...parsed, ...own } : { ...Object(parsed.error), request_id: '' };
      const id = response.headers.get('x-request-id') ?? '';
      const line = provider.gateway.logLines(id, '"msg":"request"').at(-1);
      const { cost_usd, usage_source, outcome }: Record<string, unknown> = line ?? {};
      return { status: response.status, error, cost_usd, usage_source, outcome };
    };
    const small = await ask(0);
    expect(await ask(LARGE_ANSWER_BYTES + 1)).toEqual(small);
  },
);

it('a response that is not UTF-8 is not passed on', async () => {
  provider.answer = Buffer.concat([
    Buffer.alloc(LARGE_ANSWER_BYTES, ' '),
    Buffer.from('{"data":["\xff"]}', 'latin1'),
  ]);
  expect((await provider.ask(...embed)).status).toBe(502);
});

it("unchanged parts of a large response are the provider's, to the byte", async () => {
  const text = list(
    `[${vector}, {"object":"embedding","embedding":[ 1.50 ,1E2],"index":1 }]`,
    ', "usage" : {"prompt_tokens":1} ',
  );
  provider.answer = Buffer.from(' '.repeat(LARGE_ANSWER_BYTES) + text);
  const answer = await (await provider.ask(...embed)).text();
  expect(answer.trimStart()).toBe(
    text
      .replace('"theirs"', '"sim/embed-pro"')
      .replace('{"prompt_tokens":1}', '{"prompt_tokens":1,"total_tokens":1}'),
  );
});

it('a picture of many megapixels passes as an event of a stream', async () => {
  const picture = 'QUJD'.repeat(1_500_000);
  const events = ['partial_image', 'completed'].map((type) => ({
    type: `image_generation.${type}`,
    b64_json: picture,
  }));
  provider.answer = Buffer.from(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
  provider.contentType = 'text/event-stream';
  try {
    const [path, body] = image;
    const response = await provider.ask(path, { ...body, n: 1, stream: true });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(provider.answer.toString());
  } finally {
    provider.contentType = 'application/json';
  }
});

it.each<[name: string, asked: Asked, before: object, failure: object]>([
  [
    'a chat',
    chat,
    { id: 'c', choices: [{ index: 0, delta: { content: 'Hel' } }] },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: { message: INTERNAL } },
  ],
  [
    'images',
    image,
    { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'QUJD' },
    { type: 'error', error: { message: INTERNAL } },
  ],
])(
  "a failure in the middle of a stream of %s comes in the gateway's own words",
  async (_name, asked, before, failure) => {
    provider.contentType = 'text/event-stream';
    provider.answer = Buffer.from(`data: ${JSON.stringify(before)}\n\ndata: ${JSON.stringify(failure)}\n\n`);
    try {
      const response = await provider.ask(asked[0], { ...asked[1], stream: true });
      const text = await response.text().catch(String);
      expect(text).not.toContain(INTERNAL);
      expect(text).not.toContain('[DONE]');
    } finally {
      provider.contentType = 'application/json';
    }
  },
);
