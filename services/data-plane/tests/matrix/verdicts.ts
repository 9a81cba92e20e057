/** The support for a feature, for a caller of one API and a provider of one kind. */
export type Verdict =
  | 'works'
  | 'refused by name'
  | 'refused by provider'
  | 'ignored by name'
  | typeof NOT_THERE;

/** The provider has no such thing, and no request asks for it. */
export const NOT_THERE = 'not there';

export const FEATURES = [
  'text',
  'system',
  'parallel tools',
  'tool result with picture',
  'picture in',
  'PDF in',
  'JSON schema',
  'strict schema',
  'thinking replayed',
  'model switch with thinking',
  'cached tokens',
  'stop reasons',
  'refusal',
  'context too long',
  'error forms',
  'rate limited',
  'error in mid-stream',
  'client gone',
] as const;

export type Feature = (typeof FEATURES)[number];

const BEYOND_DEEPSEEK = [
  'tool result with picture',
  'picture in',
  'PDF in',
  'JSON schema',
  'strict schema',
] as const;

/** The cells that do not simply work. The test also fails when one of them does. */
const OTHERWISE: readonly (readonly [caller: string, kind: string, feature: Feature, verdict: Verdict])[] = [
  // The request passes unchanged, and Anthropic refuses bounds.
  ['Messages', 'Anthropic', 'strict schema', NOT_THERE],
  ['Messages', 'Vertex Claude', 'strict schema', NOT_THERE],
  ['Messages', 'Bedrock Claude', 'strict schema', NOT_THERE],
  ['Chat', 'Groq', 'thinking replayed', 'ignored by name'],
  ['Messages', 'Groq', 'thinking replayed', 'ignored by name'],
  ['Responses', 'Groq', 'thinking replayed', 'ignored by name'],
  ...['Chat', 'Messages', 'Responses'].flatMap((caller) => [
    // Its models read no pictures and take no schemas. The refusals are its own.
    ...BEYOND_DEEPSEEK.map((feature) => [caller, 'DeepSeek', feature, 'refused by provider'] as const),
    [caller, 'vLLM', 'PDF in', 'refused by provider'] as const,
  ]),
  ['Chat', 'Cohere', 'tool result with picture', 'refused by name'],
  ['Chat', 'Cohere', 'PDF in', 'refused by name'],
  ['Messages', 'Cohere', 'PDF in', 'refused by name'],
  ['Responses', 'Cohere', 'PDF in', 'refused by name'],
  ['Chat', 'Cohere', 'cached tokens', NOT_THERE],
  ['Messages', 'Cohere', 'cached tokens', NOT_THERE],
  ['Responses', 'Cohere', 'cached tokens', NOT_THERE],
];

export function verdictOf(caller: string, kind: string, feature: Feature): Verdict {
  const found = OTHERWISE.find((cell) => cell[0] === caller && cell[1] === kind && cell[2] === feature);
  return found?.[3] ?? 'works';
}
