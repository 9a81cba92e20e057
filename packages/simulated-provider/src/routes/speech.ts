import { z } from 'zod';
import { type Answer, eventsAnswer } from '../answers/answer.ts';
import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { SPEECH_FORMATS } from '../audio/speech-formats.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { oneOf } from '../schemas/members.ts';
import { countTokens } from '../text/tokenizer.ts';

const CHUNK_BYTES = 16 * 1024;
const TOKENS_PER_SECOND = 20;

const speechRequest = z.looseObject({
  model: z.string(),
  input: z.string().min(1).max(4096),
  voice: z.union([z.string().min(1), z.looseObject({ id: z.string() })]),
  response_format: oneOf('mp3 opus aac flac wav pcm').default('mp3'),
  speed: z.number().min(0.25).max(4).default(1),
  stream_format: oneOf('audio sse').default('audio'),
});

/** POST /v1/audio/speech */
export function speech(exchange: ProviderExchange): Answer {
  const request = parseFields(speechRequest, exchange.json);
  requireModel(request.model, 'speech');
  const { input: text, speed, voice } = request;
  exchange.meter({ model: request.model, units: { characters: text.length } });
  const { contentType, encode } = SPEECH_FORMATS[request.response_format];
  const audio = encode({ text, speed, voice: typeof voice === 'string' ? voice : voice.id });
  const chunks = Array.from({ length: Math.ceil(audio.length / CHUNK_BYTES) }, (_, index) =>
    audio.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
  if (request.stream_format === 'audio') return { kind: 'bytes', contentType, chunks };
  return eventsAnswer(audioEvents(chunks, text, exchange));
}

/** Streams as OpenAI does: the audio in typed events, a last event with the usage, and no [DONE]. */
function* audioEvents(
  chunks: readonly Buffer[],
  text: string,
  { credential, fault }: ProviderExchange,
): Generator<SseEvent> {
  let bytes = 0;
  for (const chunk of chunks) {
    const pace = bytes > 0 ? 'token' : undefined;
    yield typedEvent('speech.audio.delta', { audio: chunk.toString('base64') }, pace);
    bytes += chunk.length;
  }
  const input = countTokens(text);
  const output = Math.ceil((bytes / CHUNK_BYTES) * TOKENS_PER_SECOND);
  const usage = spoilUsage(
    { input_tokens: input, output_tokens: output, total_tokens: input + output },
    fault,
  );
  yield typedEvent('speech.audio.done', {
    usage,
    ...(fault.echo_credential ? { debug: credential } : {}),
  });
}
