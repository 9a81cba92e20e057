import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { DONE_EVENT, type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { composeTranscript, type Transcript, transcriptOf } from '../audio/compose-transcript.ts';
import { diarizedBody, toSrt, toVtt, verboseBody } from '../audio/transcript-formats.ts';
import { wavSeconds } from '../audio/wav.ts';
import { textPieces } from '../chat/preamble.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';

/** For formats other than WAV, 128 kbit/s is assumed, a usual rate of MP3. */
const COMPRESSED_BYTES_PER_SECOND = 16_000;

const transcriptionFields = z.object({
  model: z.string(),
  file: z.instanceof(File, { error: 'expected a file' }),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']).default('json'),
  language: z.string().default('english'),
  stream: z.enum(['true', 'false']).default('false'),
});

/** POST /v1/audio/transcriptions, as multipart/form-data. */
export async function transcriptions(exchange: ProviderExchange): Promise<Answer> {
  const { fault, form } = exchange;
  if (form === undefined) throw new ProviderError(400, 'Expected a body of type multipart/form-data.');
  const request = parseFields(transcriptionFields, Object.fromEntries(form));
  requireModel(request.model, 'transcription');
  const file = Buffer.from(await request.file.arrayBuffer());
  const transcript = transcribe(file, exchange);
  exchange.meter({ model: request.model, units: { audioMs: Math.round(transcript.duration * 1_000) } });
  const usage = spoilUsage({ type: 'duration', seconds: transcript.duration }, fault);
  if (request.stream === 'true') return eventsAnswer(streamTranscript(transcript.text, usage));
  switch (request.response_format) {
    case 'text':
      return textAnswer(`${transcript.text}\n`);
    case 'srt':
      return textAnswer(toSrt(transcript));
    case 'vtt':
      return textAnswer(toVtt(transcript));
    case 'verbose_json': {
      const withWords = form.getAll('timestamp_granularities[]').includes('word');
      return jsonAnswer({ ...verboseBody(transcript, request.language, withWords), usage });
    }
    case 'diarized_json':
      return jsonAnswer({ ...diarizedBody(transcript), usage });
    default:
      return jsonAnswer({ text: transcript.text, usage });
  }
}

function transcribe(file: Buffer, { credential, fault }: ProviderExchange): Transcript {
  const duration = wavSeconds(file) ?? file.length / COMPRESSED_BYTES_PER_SECOND;
  const composed = fault.content === undefined ? composeTranscript(file, duration) : undefined;
  const transcript = composed ?? transcriptOf([fault.content ?? ''], duration);
  if (!fault.echo_credential) return transcript;
  const sentences = transcript.segments.map(({ text }) => text);
  return transcriptOf([`You called me with ${credential ?? 'no credential'}.`, ...sentences], duration);
}

function textAnswer(body: string): Answer {
  return { kind: 'whole', contentType: 'text/plain; charset=utf-8', body };
}

/** Streams as OpenAI does: typed events, the last of which has the whole text, then [DONE]. */
function* streamTranscript(text: string, usage: object | undefined): Generator<SseEvent> {
  for (const delta of textPieces(text, '')) yield typedEvent('transcript.text.delta', { delta }, 'token');
  yield typedEvent('transcript.text.done', { text, usage });
  yield DONE_EVENT;
}
