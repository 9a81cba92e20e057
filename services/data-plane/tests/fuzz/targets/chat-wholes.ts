import {
  type ChatApi,
  JsonOutline,
  OutlinedResponse,
  parseExactJson,
  writeExactJson,
} from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import fc from 'fast-check';
import { ANSWER_SEEDS, type AnswerSeeds } from '../answer-seeds.ts';
import { CALLER_APIS, chatAt, kindNamed, requestAt, wholeOf } from '../chats.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { chunkSizes, cutInto, type Json, mutatedJson } from '../mutate.ts';
import { requireSane } from '../sane-usage.ts';

interface Input {
  api: ChatApi;
  kind: string;
  answer: Json;
  sizes: number[];
}

const wholesOf = ({ kinds, recorded }: AnswerSeeds): fc.Arbitrary<Input> =>
  fc.record({
    api: fc.constantFrom(...CALLER_APIS),
    kind: fc.constantFrom(...kinds),
    answer: mutatedJson(recorded.whole),
    sizes: chunkSizes,
  });

/** Translates whole responses of every kind of provider for every API, parsed and outlined. */
export const chatWholes: FuzzTarget<Input> = {
  name: 'chat-wholes',
  input: fc.oneof(...ANSWER_SEEDS.map(wholesOf)),
  async check({ answer, api, kind: name, sizes }) {
    const kind = kindNamed(name);
    const request = { ...chatAt(api) };
    await requestAt(request, kind);
    const text = JSON.stringify(answer);
    const translator = wholeOf(request, kind);
    const isOutlined = translator.large !== undefined && translator.outline !== undefined;
    const whole = attempt(() => {
      const { body, usage } = translator.whole(isOutlined ? JSON.parse(text) : parseExactJson(text), text);
      requireSane(usage);
      const json = typeof body === 'string' ? body : writeExactJson(body);
      return JSON.parse(json);
    });
    if (translator.large === undefined || translator.outline === undefined) return;
    const chunks = cutInto(Buffer.from(text), sizes);
    const outline = new JsonOutline(translator.outline);
    const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
    if (!isObject) return;
    for (const chunk of chunks) outline.push(chunk);
    const again = wholeOf(chatAt(api), kind);
    const large = attempt(() => {
      const { pieces, usage } = again.large?.(new OutlinedResponse(chunks, outline.end())) ?? { pieces: [] };
      requireSane(usage);
      return JSON.parse(Buffer.concat(pieces).toString());
    });
    require(large instanceof GatewayError ===
      whole instanceof GatewayError, `whole ${String(whole)}, large ${String(large)}`);
    if (large instanceof GatewayError) return;
    if (isObject && answer.model === undefined) for (const one of [whole, large]) delete one.model;
    const [one, other] = [JSON.stringify(sorted(whole)), JSON.stringify(sorted(large))];
    require(one === other, `whole: ${one}\nlarge: ${other}`);
  },
};

/** @throws Error for anything but a GatewayError that blames the provider or the request */
function attempt<Result>(work: () => Result): Result | GatewayError {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw new Error('no GatewayError', { cause: thrown });
    require(thrown.status === 502 || thrown.status < 500, `status ${thrown.status}`);
    return thrown;
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
