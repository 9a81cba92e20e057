import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** Returns an element. @throws Error when there is none */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no element ${index}`);
  return item;
}

export interface Plan {
  model?: string;
  /** True to request one image, whose price is known in advance. */
  image?: boolean;
  streamed?: boolean;
  maxTokens?: number;
  simulate?: object;
  /** The number of stream events after which the client leaves. */
  abortAfterEvents?: number;
}

/** One request, as its client saw it. */
export interface Answer {
  /** In the request's text, so that the provider's log has it. */
  nonce: string;
  plan: Plan;
  sentAtMs: number;
  endedAtMs: number;
  /** Undefined when no head of a response arrived. */
  status: number | undefined;
  requestId: string | undefined;
  retryAfter: string | undefined;
  /** True if the whole body arrived, with [DONE] in a stream. */
  complete: boolean;
  /** Error code of the envelope. */
  code: string | undefined;
  message: string | undefined;
  /** Only of a complete response. */
  usage: { prompt_tokens: number; completion_tokens: number } | undefined;
  /** The number of pieces of text in a stream. */
  deltas: number;
}

const usage = z.object({ prompt_tokens: z.number(), completion_tokens: z.number() });
const completion = z.object({ usage });
const chunk = z.looseObject({
  usage: usage.nullish(),
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }) })).optional(),
});
const envelope = z.object({ error: z.looseObject({ code: z.string(), message: z.string() }) });

/** Sends one request, for a chat unless planned otherwise, and reads its response as far as it comes. */
export async function send(port: number, rawKey: string, plan: Plan = {}): Promise<Answer> {
  const nonce = randomUUID();
  const answer: Answer = {
    nonce,
    plan,
    sentAtMs: performance.now(),
    endedAtMs: 0,
    status: undefined,
    requestId: undefined,
    retryAfter: undefined,
    complete: false,
    code: undefined,
    message: undefined,
    usage: undefined,
    deltas: 0,
  };
  const gone = new AbortController();
  try {
    const path = plan.image ? 'images/generations' : 'chat/completions';
    const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rawKey}`,
        'content-type': 'application/json',
        'x-gateway-tags': `project=${nonce[0]},env=prod`,
        'x-session-id': nonce.slice(0, 2),
      },
      body: JSON.stringify(bodyOf(plan, nonce)),
      signal: gone.signal,
    });
    answer.status = response.status;
    answer.requestId = response.headers.get('x-request-id') ?? undefined;
    answer.retryAfter = response.headers.get('retry-after') ?? undefined;
    if (response.status !== 200) {
      const { error } = envelope.parse(await response.json());
      answer.code = error.code;
      answer.message = error.message;
    } else if (plan.streamed) {
      await readStream(response, answer, () => gone.abort());
    } else if (plan.image) {
      await response.json();
      answer.complete = true;
    } else {
      answer.usage = completion.parse(await response.json()).usage;
      answer.complete = true;
    }
  } catch {
    // Either side broke it off. `answer` has what arrived until then.
  }
  answer.endedAtMs = performance.now();
  return answer;
}

function bodyOf({ image, maxTokens = 64, model, simulate, streamed }: Plan, nonce: string): object {
  const knobs = simulate === undefined ? {} : { simulate };
  if (image) return { model: model ?? 'sim/image-pro', prompt: nonce, ...knobs };
  return {
    model: model ?? 'sim/chat-pro',
    messages: [{ role: 'user', content: nonce }],
    max_tokens: maxTokens,
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...knobs,
  };
}

async function readStream(response: Response, answer: Answer, leave: () => void): Promise<void> {
  let text = '';
  let events = 0;
  let done = false;
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      if (!part.startsWith('data: ')) continue;
      events += 1;
      const data = part.slice('data: '.length);
      if (data === '[DONE]') {
        done = true;
        continue;
      }
      const parsed = chunk.safeParse(JSON.parse(data)).data;
      if (parsed?.choices?.[0]?.delta.content) answer.deltas += 1;
      answer.usage = parsed?.usage ?? answer.usage;
    }
    if (answer.plan.abortAfterEvents !== undefined && events >= answer.plan.abortAfterEvents) {
      leave();
      return;
    }
  }
  answer.complete = done;
}

export interface Load {
  answers: readonly Answer[];
  stop(): Promise<void>;
}

/** Sends requests in several lanes, one after the other in each, until it is stopped. */
export function startLoad(lanes: number, pauseMs: number, send: (lane: number) => Promise<Answer>): Load {
  const answers: Answer[] = [];
  let running = true;
  const run = async (lane: number) => {
    while (running) {
      answers.push(await send(lane));
      await wait(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  return {
    answers,
    async stop() {
      running = false;
      await all;
    },
  };
}

/** Counts answers by status and error code. */
export function statusesOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code, complete } of answers) {
    const name =
      status === undefined
        ? 'no answer'
        : status === 200 && !complete
          ? '200 broken off'
          : `${status}${code ? ` ${code}` : ''}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Returns how many ended requests of a data plane the control plane has not acknowledged. */
export async function pendingRecords({ internalPort }: { internalPort: number }): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
  return Number(/^gateway_settlement_pending_records (\S+)$/m.exec(await response.text())?.[1]);
}
