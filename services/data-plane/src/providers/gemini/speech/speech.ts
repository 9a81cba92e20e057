import { providerRejected } from '@model-gateway/shared/errors';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { isObject } from '../../../translation/json-object.ts';
import { askWritten } from '../../ask-written.ts';
import type { SpeechEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { wholeContentAnswer } from '../answer/content-answer.ts';
import { modelPath } from '../model-path.ts';
import { CONTENT_FROM_SPEECH } from './speech-translation.ts';
import { wavHeader } from './wav-header.ts';

/** As Google names samples of 16 bits. The `pcm` of OpenAI has as many in a second. */
const SAMPLES = /^audio\/L16(?=;|$)/i;
const SAMPLES_PER_SECOND = 24_000;

/** generateContent of models that speak: their samples come whole, in base64. */
export const speech: SpeechEndpoint = {
  ask: ({ written }, upstreamModel) =>
    askWritten(
      { path: modelPath(upstreamModel, 'generateContent'), accept: JSON_TYPE },
      written(upstreamModel, CONTENT_FROM_SPEECH),
    ),
  spoken: (value, { format }) => {
    const { block, parts } = wholeContentAnswer(value);
    if (block !== undefined)
      throw providerRejected(400, `The model has refused to speak: ${block.reason.slice(0, 100)}.`);
    const samples = Buffer.concat(parts.flatMap(({ inlineData }) => samplesIn(inlineData)));
    if (samples.length === 0) throw notAsExpected(new Error('it holds no speech'));
    return format === 'wav' ? [wavHeader(samples.length, SAMPLES_PER_SECOND), samples] : [samples];
  },
};

/** @throws GatewayError 502 for another kind of audio */
function samplesIn(inlineData: unknown): Buffer[] {
  if (!isObject(inlineData) || typeof inlineData.data !== 'string') return [];
  const type = String(inlineData.mimeType);
  const rate = Number(/;\s*rate=(\d+)/i.exec(type)?.[1] ?? SAMPLES_PER_SECOND);
  if (!SAMPLES.test(type) || rate !== SAMPLES_PER_SECOND)
    throw notAsExpected(new Error(`it speaks in ${type.slice(0, 100)}`));
  return [Buffer.from(inlineData.data, 'base64')];
}
