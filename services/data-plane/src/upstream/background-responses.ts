import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@model-gateway/service-kit';
import { GatewayError, type Units } from '@model-gateway/shared';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';
import { OutlinedAnswer } from '../json/outlined-answer.ts';
import { type Usage, usageOf } from '../metering/usage.ts';
import type { EndedReader, EndedResponse } from '../providers/dialect.ts';
import type { KeptRequest } from '../providers/kept-request.ts';
import type { Exchange } from '../request-record.ts';
import type { WorkedOn } from './capability-call.ts';
import type { ProviderPools } from './provider-pools.ts';
import { LARGE_ANSWER_BYTES, Outliner, parseJson } from './relay-json.ts';
import { sendToProvider } from './send-to-provider.ts';
import { UpstreamCall } from './upstream-call.ts';

export interface BackgroundTimings {
  /** From one question to the next: at first, and at most. */
  firstMs: number;
  mostMs: number;
  /** After so long what a response has used is estimated. */
  giveUpMs: number;
}

/** Providers let a response run for tens of minutes; money that is set aside for longer is missed elsewhere. */
const BACKGROUND_TIMINGS: BackgroundTimings = {
  firstMs: 1_000,
  mostMs: 30_000,
  giveUpMs: 60 * 60_000,
};
/** As of other answers: longer ones are not read. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A paid request that was answered while its provider works on. */
export interface FollowedRequest {
  exchange: Exchange;
  model: RoutedModel;
  workedOn: WorkedOn;
  /** What was set aside for it: it is charged that where nobody knows more. */
  most: Units;
  /** Called once. @param usage undefined: it has failed, and costs nothing */
  settle(usage: Usage | undefined): void;
}

interface BackgroundContext {
  pools: ProviderPools;
  credential: (environmentVariable: string) => string | undefined;
  log: Pick<Logger, 'warn'>;
}

/**
 * Learns from providers what responses have used that run in the background: they are asked, less and less
 * often, until the response has ended. Where that cannot be learnt, all that was set aside is charged, marked
 * as estimated.
 */
export class BackgroundResponses {
  readonly #context: BackgroundContext;
  readonly #timings: BackgroundTimings;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(context: BackgroundContext, timings: BackgroundTimings = BACKGROUND_TIMINGS) {
    this.#context = context;
    this.#timings = timings;
  }

  follow(followed: FollowedRequest): void {
    const running = this.#follow(followed).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Settles what is still running, by estimates: this process will not learn more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #follow(followed: FollowedRequest): Promise<void> {
    let usage: Usage | undefined = usageOf('estimated', followed.most);
    try {
      const ended = await this.#ended(followed);
      if (ended !== undefined) usage = this.#usage(ended, followed);
    } catch (error) {
      const { id } = followed.exchange.record;
      this.#context.log.warn(
        { request_id: id, error },
        'what a response in the background used is estimated',
      );
    }
    followed.settle(usage);
  }

  #usage({ hasFailed, usage }: EndedResponse, { model, most }: FollowedRequest): Usage | undefined {
    if (usage === undefined) return hasFailed ? undefined : usageOf('estimated', most);
    const isCharged = model.price?.of.names.has('tool_call_usd') === true;
    return usageOf('provider', isCharged ? usage.units : { ...usage.units, toolCalls: 0 });
  }

  /** @returns undefined when it was not learnt in time */
  async #ended(followed: FollowedRequest): Promise<EndedResponse | undefined> {
    const { firstMs, giveUpMs, mostMs } = this.#timings;
    const untilMs = performance.now() + giveUpMs;
    for (let pauseMs = firstMs; performance.now() < untilMs; pauseMs = Math.min(2 * pauseMs, mostMs)) {
      try {
        await wait(pauseMs, undefined, { signal: this.#stop.signal });
      } catch {
        return undefined;
      }
      try {
        const ended = await this.#ask(followed);
        if (ended !== undefined) return ended;
      } catch (failure) {
        // Its caller has deleted it: nobody can learn any more what it has used.
        if (failure instanceof GatewayError && failure.code === 'not_found') throw failure;
      }
    }
    return undefined;
  }

  /** @returns undefined while it is worked on. @throws what the provider's failure means */
  async #ask({ exchange, model, workedOn }: FollowedRequest): Promise<EndedResponse | undefined> {
    const provider = model.upstreams.find(
      (upstream) => upstream.provider.id === workedOn.providerId,
    )?.provider;
    const kept = provider?.dialect.endpoints.chat?.kept;
    if (provider === undefined || kept === undefined) throw new Error('its provider keeps no responses');
    const call = new UpstreamCall(this.#stop.signal);
    const attempt = { providerId: provider.id, upstreamModel: model.id, startedAtMs: performance.now() };
    try {
      const asked = await kept.ask(requestFor(workedOn, model.id), model.id, call);
      const current = { attempt, call, provider, credential: this.#credentialOf(provider) };
      await sendToProvider(this.#context.pools, exchange, current, asked, false);
      const ended = await endedIn(await call.readBytes(MAX_BYTES), kept.ended);
      call.close(true);
      return ended;
    } catch (thrown) {
      const failure = call.failure(thrown);
      call.close(false);
      throw failure;
    }
  }

  #credentialOf({ credentialEnv }: RoutedProvider): string | undefined {
    return credentialEnv === undefined ? undefined : this.#context.credential(credentialEnv);
  }
}

/** So much of an answer is looked at before others have their turn. */
const SLICE_BYTES = 256 * 1024;

/** Reads a large answer as the answers to callers are read: its value is not made, and nobody is held up. */
async function endedIn(bytes: Buffer, reader: EndedReader): Promise<EndedResponse | undefined> {
  const outliner = new Outliner(reader.outline, LARGE_ANSWER_BYTES);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    outliner.push(bytes.subarray(at, at + SLICE_BYTES));
    await setImmediate();
  }
  const members = outliner.members();
  if (members === undefined) return reader.whole(parseJson(bytes.toString()));
  return reader.large(new OutlinedAnswer([bytes], members));
}

function requestFor({ responseId }: WorkedOn, modelId: string): KeptRequest {
  return {
    what: 'response',
    id: responseId,
    responseId,
    modelId,
    query: '',
    streamed: false,
    sealed: (_providerId, id) => id,
  };
}
