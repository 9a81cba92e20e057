import {
  BrokenEventStream,
  type ChatApi,
  causedByRequest,
  type EventTranslator,
  endpointOf,
} from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { badGateway } from '@model-gateway/shared/errors';
import { simulatedAwsMessage } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { OPENAI_CALLER } from '../../../src/http/caller-protocol.ts';
import { MESSAGES_CALLER } from '../../../src/http/messages-caller.ts';
import { requireShallowJson } from '../../../src/upstream/require-shallow-json.ts';
import { SERVER_SENT } from '../../../src/upstream/sse-events.ts';
import { ANSWER_SEEDS, type AnswerSeeds } from '../answer-seeds.ts';
import { requireGrammar } from '../chat-grammar.ts';
import {
  CALLER_APIS,
  chatAt,
  type FuzzedChat,
  type FuzzedKind,
  kindNamed,
  requestAt,
  translatorOf,
} from '../chats.ts';
import { type FuzzTarget, hasMark, require } from '../fuzz-target.ts';
import { chunkSizes, cutInto, type Json, mutatedJson } from '../mutate.ts';
import { requireSaneUsage } from '../sane-usage.ts';

interface Input {
  api: ChatApi;
  kind: string;
  events: Json;
  /** How server-sent events are written. */
  form: 'lines' | 'pretty' | 'crlf';
  sizes: number[];
}

const streamsOf = ({ kinds, recorded }: AnswerSeeds): fc.Arbitrary<Input> =>
  fc.record({
    api: fc.constantFrom(...CALLER_APIS),
    kind: fc.constantFrom(...kinds),
    events: mutatedJson(recorded.streams),
    form: fc.constantFrom('lines', 'lines', 'pretty', 'crlf'),
    sizes: chunkSizes,
  });

/** Translates streams of every kind of provider for every API: the result is always well-formed. */
export const chatStreams: FuzzTarget<Input> = {
  name: 'chat-streams',
  input: fc.oneof(...ANSWER_SEEDS.map(streamsOf)),
  async check({ api, events, form, kind: name, sizes }) {
    const kind = kindNamed(name);
    const fuzzed = chatAt(api);
    await requestAt(fuzzed, kind);
    const bytes = Buffer.concat(list(events).map((event) => framed(name, event, form)));
    const { failure, text } = relayed(fuzzed, kind, cutInto(bytes, sizes));
    // A number in the place of a text shows the mark, which is harmless.
    if (hasMark(text)) return;
    const isPassthrough = kind.isOwn !== false && endpointOf(kind.protocol, 'chat').apis.includes(api);
    requireGrammar(api, text, { hasFailed: failure !== undefined, isPassthrough });
    requireSaneUsage(fuzzed.meter, failure === undefined);
  },
};

const list = (events: Json): Json[] => (Array.isArray(events) ? events : [events]);

function framed(kind: string, event: Json, form: Input['form']): Buffer {
  if (kind === 'converse') {
    const [[type, value] = ['messageStart', event]] =
      typeof event === 'object' && event !== null && !Array.isArray(event) ? Object.entries(event) : [];
    return simulatedAwsMessage(type.slice(0, 255), JSON.stringify(value));
  }
  const json =
    event === '[DONE]' ? event : JSON.stringify(event, undefined, form === 'pretty' ? 1 : undefined);
  if (kind === 'bedrock-claude') {
    return simulatedAwsMessage('chunk', JSON.stringify({ bytes: Buffer.from(json).toString('base64') }));
  }
  const end = form === 'crlf' ? '\r\n' : '\n';
  return Buffer.from(
    `${json
      .split('\n')
      .map((line) => `data: ${line}${end}`)
      .join('')}${end}`,
  );
}

/** Uses a translator as the data plane's relay does. */
function relayed(
  fuzzed: FuzzedChat,
  kind: FuzzedKind,
  chunks: readonly Buffer[],
): { text: string; failure: GatewayError | undefined } {
  const translator = translatorOf(fuzzed, kind);
  let text = '';
  try {
    const parser = (translator.framing ?? SERVER_SENT).parser(translator.maxEventBytes);
    for (const chunk of chunks) {
      for (const data of parser.push(chunk)) {
        requireShallowJson(data);
        const translated = translator.translate(data);
        text += translated.text;
        if (translated.done) return { text, failure: undefined };
      }
    }
    text += endOf(translator);
    return { text, failure: undefined };
  } catch (thrown) {
    require(thrown instanceof GatewayError ||
      thrown instanceof BrokenEventStream, `thrown: ${stackOf(thrown)}`);
    const failure = thrown instanceof GatewayError ? thrown : badGateway(thrown);
    require(failure.status === 502 ||
      failure.status < 500 ||
      failure.status === 503, `status ${failure.status}`);
    const { caller, api } = fuzzed.chat;
    const callerEvent = (api === 'messages' ? MESSAGES_CALLER : OPENAI_CALLER).errorEvent;
    return {
      text: text + translator.rest + (caller.failure?.(failure, 'req_1') ?? callerEvent(failure, 'req_1')),
      failure,
    };
  }
}

function endOf(translator: EventTranslator): string {
  if (translator.mayEnd) return translator.end?.() ?? translator.rest;
  throw translator.failure ?? causedByRequest('the event stream ended before its last event');
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
