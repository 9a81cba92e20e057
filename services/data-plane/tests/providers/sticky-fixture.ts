import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, postJson, providerEntry, type SharedGateway, until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { z } from 'zod';

export const WEIGHTS = [1, 2, 3, 4, 5] as const;
export const keyOf = (weight: number) => `credential-of-weight-${weight}-0123456789`;
export const ENVIRONMENT = Object.fromEntries(WEIGHTS.map((weight) => [`KEY_${weight}`, keyOf(weight)]));

const CREDENTIALS = WEIGHTS.map((weight) => ({ name: `KEY_${weight}`, weight }));
const PRICING = {
  input_per_million_usd: '1.00',
  cached_input_per_million_usd: '0.10',
  output_per_million_usd: '2.00',
};
/** Prices of a provider that charges for writing to its cache. */
const CLAUDE_PRICING = { ...PRICING, cache_write_per_million_usd: '1.25' };
const paid = { capability: 'chat', tier: 'paid', pricing: PRICING } as const;
/** Longer than the 1,024 tokens from which on OpenAI caches. */
const RULES = Array.from({ length: 110 }, (_, rule) => `Rule ${rule} says to be exact about it.`).join(' ');

export function stickyCatalog(baseUrl: string): CatalogDocumentInput {
  const own = (id: string) => providerEntry(id, baseUrl, { credential_env: CREDENTIALS });
  const single = (id: string, weight: number, apis: ('chat' | 'responses')[] = ['chat']) =>
    providerEntry(id, baseUrl, { credential_env: `KEY_${weight}`, apis });
  const upstreams = [1, 2, 3].map((weight) => ({ provider: `up-${weight}`, model: 'sim-chat-pro', weight }));
  return {
    providers: [
      ...['sticky', 'spread', 'broken'].map(own),
      providerEntry('claude', baseUrl, { kind: 'anthropic', credential_env: CREDENTIALS }),
      providerEntry('recorder', baseUrl, { credential_env: CREDENTIALS, apis: ['chat', 'responses'] }),
      ...[1, 2, 3].map((weight) => single(`up-${weight}`, weight)),
    ],
    models: [
      modelEntry('own/sticky', { sticky: 'sim-chat-pro' }, paid),
      modelEntry('own/spread', { spread: 'sim-chat-pro' }, { ...paid, affinity: 'none' }),
      modelEntry('own/broken', { broken: 'sim-chat-pro' }, paid),
      ...[{ id: 'claude/sticky' }, { id: 'claude/spread', affinity: 'none' as const }].map(
        ({ id, ...more }) =>
          modelEntry(id, { claude: 'sim-claude-pro' }, { ...paid, pricing: CLAUDE_PRICING, ...more }),
      ),
      modelEntry('own/recorder', { recorder: 'sim-chat-pro' }),
      modelEntry('own/upstreams', {}, { ...paid, upstreams }),
      modelEntry('own/spread-upstreams', {}, { ...paid, upstreams, affinity: 'none' }),
      ...[1, 2, 3].map((weight) => modelEntry(`member/${weight}`, { [`up-${weight}`]: 'sim-chat-pro' })),
      {
        id: 'virtual/stored',
        name: 'Stored',
        kind: 'virtual' as const,
        models: ['own/sticky', 'own/broken'].map((model) => ({ model })),
      },
      ...(['virtual/sticky', 'virtual/spread'] as const).map((id) => ({
        id,
        name: id,
        kind: 'virtual' as const,
        models: [1, 2, 3].map((weight) => ({ model: `member/${weight}`, weight })),
        ...(id === 'virtual/spread' ? { affinity: 'none' as const } : {}),
      })),
    ],
  };
}

const answer = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]),
  usage: z.object({
    prompt_tokens: z.number(),
    prompt_tokens_details: z.object({ cached_tokens: z.number() }),
  }),
});

/**
 * A conversation that sends its whole history in each turn, each to another data plane. With Claude, each
 * turn marks its last message for the cache.
 */
export class Conversation {
  readonly #gateway: SharedGateway;
  readonly #model: string;
  readonly #number: number;
  readonly #messages: object[];
  #turns = 0;
  /** Weights of the credentials that the turns were sent with. */
  readonly credentials: number[] = [];
  /** Models that answered the turns. */
  readonly models: string[] = [];
  readonly requestIds: string[] = [];
  inputTokens = 0;
  cachedTokens = 0;

  constructor(gateway: SharedGateway, model: string, number: number) {
    this.#gateway = gateway;
    this.#model = model;
    this.#number = number;
    this.#messages = [{ role: 'system', content: `Conversation ${number} with ${model}. ${RULES}` }];
  }

  /** @returns the status */
  async turn(members: object = {}, headers: Record<string, string> = {}): Promise<number> {
    const { baseUrl, dataPlanes, rawKey } = this.#gateway;
    const turn = this.#turns++;
    const tag = `turn ${turn} of ${this.#model} ${this.#number}.`;
    const text = `Please write about the sea in ${tag}`;
    const mark = { type: 'text', text, cache_control: { type: 'ephemeral' } };
    const last = { role: 'user', content: this.#model.startsWith('claude/') ? [mark] : text };
    const messages = [...this.#messages, last];
    this.#messages.push({ role: 'user', content: text });
    const plane = (this.#number + turn) % dataPlanes.length;
    const url = dataPlanes.length === 1 ? baseUrl : this.#gateway.urlOf(plane);
    const body = { model: this.#model, max_tokens: 60, messages, ...members };
    const response = await postJson(url, rawKey, 'chat/completions', body, { headers });
    const parsed = answer.safeParse(await response.json());
    this.models.push(response.headers.get('x-gateway-model') ?? '');
    this.requestIds.push(response.headers.get('x-request-id') ?? '');
    this.credentials.push(credentialOf(this.#gateway, tag));
    if (!parsed.success) return response.status;
    this.#messages.push({ role: 'assistant', content: parsed.data.choices[0].message.content });
    this.inputTokens += parsed.data.usage.prompt_tokens;
    this.cachedTokens += parsed.data.usage.prompt_tokens_details.cached_tokens;
    return response.status;
  }
}

/** Returns the weight of the credential of the last request whose last message has this tag. */
function credentialOf({ provider: { requests } }: SharedGateway, tag: string): number {
  const sent = requests.findLast(({ bodyText }) => bodyText.includes(tag));
  const text = JSON.stringify(sent?.headers);
  return WEIGHTS.find((weight) => text?.includes(keyOf(weight))) ?? 0;
}

export function conversations(gateway: SharedGateway, model: string, count: number): Conversation[] {
  return Array.from({ length: count }, (_, number) => new Conversation(gateway, model, number));
}

/** Runs the next turn of all conversations, a few at a time. @returns the statuses that occurred */
export async function nextTurns(all: readonly Conversation[]): Promise<Set<number>> {
  const waiting = [...all];
  const statuses = new Set<number>();
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) statuses.add(await next.turn());
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return statuses;
}

/** Runs conversations, all of whose requests must succeed. */
export async function runConversations(
  gateway: SharedGateway,
  { count, model, turns }: { model: string; count: number; turns: number },
): Promise<Conversation[]> {
  const all = conversations(gateway, model, count);
  for (let turn = 0; turn < turns; turn++) expect(await nextTurns(all)).toEqual(new Set([200]));
  return all;
}

/** Waits until as many requests of a model are settled, and returns what they cost, in nano-USD. */
export async function costOf({ books }: SharedGateway, model: string, requests: number): Promise<number> {
  let cost = 0;
  await until(async () => {
    const [row] = await books.query(
      'SELECT count(*)::int AS n, sum(cost)::float AS cost FROM usage_records WHERE model_id = $1',
      [model],
    );
    cost = Number(row?.cost);
    return Number(row?.n) >= requests;
  });
  return cost;
}
