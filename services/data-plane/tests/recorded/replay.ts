import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, providerEntry, startGatewayWithKey, type TestGateway } from '@model-gateway/test-kit';

import {
  billByHand,
  billedTurns,
  catalogPricing,
  finalUsage,
  handPrices,
  modelsOf,
  tokensOf,
} from './bill-by-hand.ts';
import type { RecordedAnswer } from './recorded-answers.ts';
import { type ReplayingProvider, startReplayingProvider } from './replaying-provider.ts';

/** A gateway in front of recorded answers, with a model for each that has a part in one of them. */
export interface Replay extends AsyncDisposable {
  gateway: TestGateway;
  rawKey: string;
  /** The gateway's name of the model of an answer. */
  idOf(model: string): string;
  /** Asks for an answer in one of the APIs of chat. */
  ask(answer: RecordedAnswer, path: '/v1/messages' | '/v1/chat/completions'): Promise<Response>;
  /** Lets the provider give this answer from now on. */
  replay(answer: RecordedAnswer): void;
  /** Returns the charge in the usage record of a request, in nano-USD. */
  charged(response: Response): Promise<unknown>;
  /** Returns the charge that it should have. */
  billByHand(answer: RecordedAnswer): bigint;
}

const PROVIDER = 'anthropic';

export async function startReplay(answers: readonly RecordedAnswer[]): Promise<Replay> {
  const stack = new AsyncDisposableStack();
  const provider: ReplayingProvider = stack.use(await startReplayingProvider());
  const models = [...new Set(answers.flatMap(modelsOf))].sort();
  const idOf = (model: string) => `${PROVIDER}/${model}`;
  const pricesOf = (model: string) => handPrices(models.indexOf(model));
  const document = (): CatalogDocumentInput => ({
    providers: [providerEntry(PROVIDER, provider.baseUrl, { kind: 'anthropic' })],
    models: models.map((model) =>
      modelEntry(
        idOf(model),
        { [PROVIDER]: model },
        { tier: 'paid', pricing: catalogPricing(pricesOf(model)) },
      ),
    ),
  });
  const gateway = stack.use(await startGatewayWithKey({ document }));
  return {
    gateway,
    rawKey: gateway.rawKey,
    idOf,
    replay: (answer) => provider.replay(answer),
    async ask(answer, path) {
      provider.replay(answer);
      return await gateway.post(path, requestFor(answer, idOf(answer.model), path));
    },
    charged: async (response) => (await gateway.recordOf(response)).charged,
    billByHand: (answer) => billByHand(finalUsage(answer), (model = answer.model) => pricesOf(model)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Long enough, and with enough output, to reserve the cost of all that the response uses. */
function requestFor(answer: RecordedAnswer, model: string, path: string): object {
  const turns = billedTurns(finalUsage(answer)).map(tokensOf);
  const sum = (pick: (tokens: ReturnType<typeof tokensOf>) => number) =>
    turns.reduce((total, tokens) => total + pick(tokens), 0);
  const input = sum(({ fresh, read, write5m, write1h }) => fresh + read + write5m + write1h);
  const stream = 'events' in answer.content;
  return {
    model,
    max_tokens: Math.max(
      1,
      sum(({ output }) => output),
    ),
    messages: [{ role: 'user', content: 'a '.repeat(input) }],
    stream,
    ...(stream && path.includes('chat') ? { stream_options: { include_usage: true } } : {}),
  };
}
