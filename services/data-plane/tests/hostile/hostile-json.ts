import { CHAT, CLAUDE } from '../endpoints/both-apis.ts';

/** A route that takes JSON. */
export interface JsonRoute {
  path: string;
  model: string;
  /** Members of a valid request besides its model. */
  rest: string;
}

const MESSAGES = '"messages":[{"role":"user","content":"hello"}]';

/** Every POST route. */
export const JSON_ROUTES: readonly JsonRoute[] = [
  { path: '/v1/chat/completions', model: CHAT, rest: MESSAGES },
  { path: '/v1/messages', model: CLAUDE, rest: `"max_tokens":16,${MESSAGES}` },
  { path: '/v1/messages/count_tokens', model: CLAUDE, rest: MESSAGES },
  { path: '/v1/responses', model: CHAT, rest: '"input":"hello"' },
  { path: '/v1/completions', model: 'sim/complete-free', rest: '"prompt":"hello"' },
  { path: '/v1/embeddings', model: 'sim/embed-free', rest: '"input":"hello"' },
  { path: '/v1/rerank', model: 'sim/rerank-free', rest: '"query":"a","documents":["b"]' },
  { path: '/v1/moderations', model: 'sim/moderate-free', rest: '"input":"hello"' },
  { path: '/v1/images/generations', model: 'sim/image-free', rest: '"prompt":"a house"' },
  { path: '/v1/audio/speech', model: 'sim/speech-free', rest: '"input":"hello","voice":"alloy"' },
  {
    path: '/v1/audio/transcriptions',
    model: 'sim/transcribe-free',
    rest: '"file":{"filename":"a.wav","data":"QUJD"}',
  },
];

export function validBody({ model, rest }: JsonRoute): string {
  return `{"model":"${model}",${rest}}`;
}

type Body = string | Uint8Array<ArrayBuffer>;

/** Bodies that are not JSON, or that two parsers may read differently. */
export const NO_PLAIN_JSON: Readonly<Record<string, (route: JsonRoute) => Body>> = {
  '100k nested arrays': () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'nesting inside a field': withMember(`"x":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`),
  '__proto__ of the whole': (route) => `{"__proto__":{"polluted":1},${validBody(route).slice(1)}`,
  'nested __proto__': withMember('"tools":[{"__proto__":{"polluted":1}}]'),
  'constructor.prototype': (route) =>
    `{"constructor":{"prototype":{"polluted":1}},${validBody(route).slice(1)}`,
  'duplicate keys': withMember('"model":"sim/chat-pro"'),
  'duplicate keys, one escaped': withMember('"mo\\u0064el":"sim/chat-pro"'),
  'invalid UTF-8': (route) => {
    const body = validBody(route);
    // Inserts invalid bytes into the last string.
    const at = body.lastIndexOf('"');
    return Buffer.concat([
      Buffer.from(body.slice(0, at)),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(body.slice(at)),
    ]);
  },
  'a byte order mark': (route) => `\ufeff${validBody(route)}`,
  'UTF-16': (route) => Buffer.from(validBody(route), 'utf16le'),
  'a lone surrogate': withMember('"x":"\\ud83d"'),
  'trailing JSON': (route) => `${validBody(route)}{}`,
  NaN: withMember('"temperature":NaN'),
  'a comment': withMember('/* hi */"x":1'),
  'a number out of range': withMember('"max_length":1e400'),
  'an empty body': () => '',
  'an unfinished string': () => '{"model":"sim',
};

function withMember(member: string): (route: JsonRoute) => string {
  return (route) => `${validBody(route).slice(0, -1)},${member}}`;
}

const chat = (members: string) => `{"model":"${CHAT}",${members}}`;
const complete = (members: string) => `{"model":"sim/complete-free",${members}}`;
const claude = (members: string) => `{"model":"${CLAUDE}","max_tokens":16,${members}}`;
const count = (members: string) => `{"model":"${CLAUDE}",${members}}`;

/** JSON of a wrong shape: the route, what is wrong, the body, and the path that is named. */
export const WRONG_SHAPES: readonly [path: string, name: string, body: string, param: string | null][] = [
  ...JSON_ROUTES.flatMap(({ path, rest }) =>
    [
      [path, 'null', 'null', null] as const,
      [path, 'a number', '1', null] as const,
      [path, 'an array', '[]', null] as const,
      [path, 'a model with a length', `{"model":{"length":{"toString":1}},${rest}}`, null] as const,
      [path, 'an empty model', `{"model":"",${rest}}`, 'model'] as const,
      // A moderation has a default.
      ...(path === '/v1/moderations' ? [] : [[path, 'no model', `{${rest}}`, 'model'] as const]),
    ].map(([...entry]): [string, string, string, string | null] => entry),
  ),
  ...(
    [
      ['/v1/chat/completions', chat],
      ['/v1/messages', claude],
      ['/v1/messages/count_tokens', count],
    ] as const
  ).flatMap(([path, of]): [string, string, string, string | null][] => [
    [path, 'empty messages', of('"messages":[]'), 'messages'],
    [path, 'a message without a role', of('"messages":[{"content":"x"}]'), 'messages[0].role'],
    [path, 'content of a wrong type', of('"messages":[{"role":"user","content":5}]'), 'messages[0].content'],
    [path, 'no content without tool calls', of('"messages":[{"role":"user"}]'), 'messages[0].content'],
  ]),
  ['/v1/chat/completions', 'no messages', chat('"x":1'), 'messages'],
  ['/v1/chat/completions', 'max_tokens -1', chat(`${MESSAGES},"max_tokens":-1`), 'max_tokens'],
  ['/v1/chat/completions', 'max_tokens 1.5', chat(`${MESSAGES},"max_tokens":1.5`), 'max_tokens'],
  ['/v1/chat/completions', 'max_tokens "9"', chat(`${MESSAGES},"max_tokens":"9"`), 'max_tokens'],
  ['/v1/chat/completions', 'stream "yes"', chat(`${MESSAGES},"stream":"yes"`), 'stream'],
  ['/v1/completions', 'a prompt of a wrong type', complete('"prompt":{}'), 'prompt'],
  ['/v1/completions', 'n "9"', complete('"prompt":"x","n":"9"'), 'n'],
  ['/v1/responses', 'input of a wrong type', chat('"input":5'), 'input'],
  ['/v1/responses', 'an item that is a number', chat('"input":[5]'), 'input'],
  ['/v1/responses', 'an item of a wrong type', chat('"input":[{"type":"nonsense"}]'), 'input[0].type'],
  ['/v1/responses', 'an unknown role', chat('"input":[{"role":"nobody","content":"x"}]'), 'input[0].role'],
  ['/v1/responses', 'max_output_tokens -1', chat('"input":"x","max_output_tokens":-1'), 'max_output_tokens'],
  [
    '/v1/responses',
    'max_output_tokens "9"',
    chat('"input":"x","max_output_tokens":"9"'),
    'max_output_tokens',
  ],
  ['/v1/responses', 'stream "yes"', chat('"input":"x","stream":"yes"'), 'stream'],
  ['/v1/responses', 'tools of a wrong type', chat('"input":"x","tools":5'), 'tools'],
  [
    '/v1/responses',
    'a tool without a name',
    chat('"input":"x","tools":[{"type":"function"}]'),
    'tools[0].name',
  ],
  ['/v1/messages', 'no messages', claude('"x":1'), 'messages'],
  ['/v1/messages', 'no max_tokens', count(MESSAGES), 'max_tokens'],
  ['/v1/messages', 'max_tokens -1', count(`${MESSAGES},"max_tokens":-1`), 'max_tokens'],
  ['/v1/messages', 'max_tokens 1.5', count(`${MESSAGES},"max_tokens":1.5`), 'max_tokens'],
  ['/v1/messages', 'max_tokens "9"', count(`${MESSAGES},"max_tokens":"9"`), 'max_tokens'],
  ['/v1/messages', 'stream "yes"', claude(`${MESSAGES},"stream":"yes"`), 'stream'],
  ['/v1/messages', 'system of a wrong type', claude(`${MESSAGES},"system":5`), 'system'],
  ['/v1/messages', 'a block without a type', claude('"messages":[{"role":"user","content":[{}]}]'), null],
];
