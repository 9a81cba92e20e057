import type { GatewayOptions, TestGateway } from '@model-gateway/test-kit';
import { z } from 'zod';
import { catalogPricing, handPrices } from '../recorded/bill-by-hand.ts';
import type { MatrixCaller } from './callers.ts';
import { credentialsOfKinds, type MatrixKind } from './kinds.ts';
import type { Answer, Question } from './question.ts';

/** One cell of the matrix: requests of one API to one kind of provider. */
export class Cell {
  readonly caller: MatrixCaller;
  readonly kind: MatrixKind;
  readonly gateway: TestGateway;
  readonly #rawKey: string;

  constructor(caller: MatrixCaller, kind: MatrixKind, gateway: TestGateway, rawKey: string) {
    this.caller = caller;
    this.kind = kind;
    this.gateway = gateway;
    this.#rawKey = rawKey;
  }

  /** The same caller, at another kind of provider. */
  at(kind: MatrixKind): Cell {
    return new Cell(this.caller, kind, this.gateway, this.#rawKey);
  }

  get modelId(): string {
    return modelIdOf(this.kind);
  }

  ask(question: Question, more: { stream?: boolean; signal?: AbortSignal } = {}): Promise<Response> {
    const { signal, stream = false } = more;
    const request: Record<string, unknown> = {
      ...this.caller.request(question),
      model: this.modelId,
      stream,
    };
    if (!stream) delete request.stream_options;
    return fetch(`${this.gateway.baseUrl}${this.caller.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Sends a plain request. @throws Refused */
  async whole(question: Question): Promise<Answer> {
    const response = await this.ask(question);
    return this.caller.answer(JSON.parse(await answeredText(response, this.modelId)));
  }

  /** Sends a streamed request. @throws Refused */
  async streamed(question: Question): Promise<Answer> {
    const response = await this.ask(question, { stream: true });
    const text = await answeredText(response, this.modelId);
    return this.caller.answer(this.caller.assembled(eventsOf(text)));
  }

  /** Body of the last request to the provider. */
  get seen(): string {
    return this.gateway.provider.requests.at(-1)?.bodyText ?? '';
  }
}

/** The gateway has refused the request, and named a field. */
export class Refused extends Error {}

/** The provider has refused the request, and the response has its words. */
export class RefusedByProvider extends Error {}

/** The gateway has left a field out, and named it. */
export class Ignored extends Error {}

const refusal = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    param: z.string().nullish(),
    code: z.string().nullish(),
  }),
});

export function errorMessage(text: string): string {
  return refusal.parse(JSON.parse(text)).error.message;
}

async function answeredText(response: Response, modelId: string): Promise<string> {
  const text = await response.text();
  if (response.status === 200) return text;
  const { code, message, param } = refusal.parse(JSON.parse(text)).error;
  if (response.status === 400 && code === 'upstream_rejected') throw new RefusedByProvider(message);
  const isByName = response.status === 400 && message.includes(modelId) && (param ?? message) !== '';
  throw isByName ? new Refused(message) : new Error(`${response.status} ${text}`);
}

/** The data of each event that is JSON. */
export function eventsOf(text: string): unknown[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

export function modelIdOf(kind: MatrixKind): string {
  return `matrix/${nameOf(kind)}`;
}

/** Name of one column: a kind may have several. */
function nameOf({ title }: MatrixKind): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** The prices of a token, at every kind of provider. */
export const MATRIX_PRICES = handPrices(0);

/** @param reachedAt maps the base URL of the simulated provider to the one that the gateway calls */
export function matrixOptions(
  kinds: readonly MatrixKind[],
  reachedAt: (baseUrl: string) => string = (baseUrl) => baseUrl,
): GatewayOptions {
  const pricing = catalogPricing(MATRIX_PRICES);
  return {
    environment: credentialsOfKinds,
    document: (baseUrl) => ({
      providers: kinds.map((one) => ({
        id: `matrix-${nameOf(one)}`,
        name: one.title,
        kind: one.kind,
        ...one.provider(reachedAt(baseUrl)),
      })),
      models: kinds.map((one) => ({
        id: modelIdOf(one),
        name: one.title,
        capability: 'chat',
        tier: 'paid',
        max_output_tokens: 8_000,
        // A picture's tokens are not told apart here.
        pricing: { ...pricing, image_input_per_million_usd: pricing.input_per_million_usd },
        upstreams: [
          {
            provider: `matrix-${nameOf(one)}`,
            model: one.upstreamModel,
            ...(one.prefer === undefined ? {} : { prefer: one.prefer }),
          },
        ],
      })),
    }),
  };
}
