import { rejected, unexpectedJson } from '../../failures/provider-failures.ts';
import type { SpeechEndpoint } from '../../interfaces/provider-protocol.ts';
import { isObject } from '../../json/json-object.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { geminiModelPath } from './gemini-model-path.ts';
import { parseGeminiResponse } from './parse-gemini-response.ts';
import { SPEECH_TO_GEMINI } from './speech-to-gemini.ts';
import { wavHeader } from './wav-header.ts';

/** Google's type of 16-bit samples. Their rate is that of OpenAI's `pcm`. */
const SAMPLES = /^audio\/L16(?=;|$)/i;
const SAMPLES_PER_SECOND = 24_000;

/** generateContent of speech models, which send samples in base64. */
export const geminiSpeech: SpeechEndpoint = {
  buildRequest: ({ translate }, upstreamModel) =>
    buildTranslatedRequest(
      { path: geminiModelPath(upstreamModel, 'generateContent'), accept: JSON_TYPE },
      translate(upstreamModel, SPEECH_TO_GEMINI),
    ),
  readAudio: (value, { format }) => {
    const { block, parts } = parseGeminiResponse(value);
    if (block !== undefined)
      throw rejected(400, `The model has refused to speak: ${block.reason.slice(0, 100)}.`);
    const samples = Buffer.concat(parts.flatMap(({ inlineData }) => samplesIn(inlineData)));
    if (samples.length === 0) throw unexpectedJson(new Error('it holds no speech'));
    return format === 'wav' ? [wavHeader(samples.length, SAMPLES_PER_SECOND), samples] : [samples];
  },
};

/** @throws GatewayError 502 for another kind of audio */
function samplesIn(inlineData: unknown): Buffer[] {
  if (!isObject(inlineData) || typeof inlineData.data !== 'string') return [];
  const type = String(inlineData.mimeType);
  const rate = Number(/;\s*rate=(\d+)/i.exec(type)?.[1] ?? SAMPLES_PER_SECOND);
  if (!SAMPLES.test(type) || rate !== SAMPLES_PER_SECOND)
    throw unexpectedJson(new Error(`it speaks in ${type.slice(0, 100)}`));
  return [Buffer.from(inlineData.data, 'base64')];
}
