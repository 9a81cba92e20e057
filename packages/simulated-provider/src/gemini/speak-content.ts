import { speak } from '../audio/speak.ts';
import { refuse } from '../errors/provider-error.ts';
import type { ContentRequest } from './content-request.ts';

export const SPEAKER = 'sim-gemini-tts';

/** An answer of a model that speaks: samples in base64. @throws ProviderError 400 */
export function speakContent({ contents, generationConfig = {} }: ContentRequest): object {
  const { responseModalities = [], speechConfig } = generationConfig;
  if (responseModalities.length !== 1 || responseModalities[0] !== 'AUDIO')
    refuse('The requested combination of response modalities is not supported by the model: AUDIO only.');
  const voice = speechConfig?.voiceConfig.prebuiltVoiceConfig.voiceName ?? 'Kore';
  const text = contents.flatMap(({ parts }) => parts.flatMap((part) => part.text ?? [])).join(' ');
  const data = speak(text, voice, 1).toString('base64');
  const part = { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data } };
  return {
    candidates: [{ content: { parts: [part], role: 'model' }, finishReason: 'STOP', index: 0 }],
    modelVersion: SPEAKER,
  };
}
