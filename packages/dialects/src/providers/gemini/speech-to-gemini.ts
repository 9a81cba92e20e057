import { isObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';
import type { Translation } from '../../translation/translation.ts';
import { GEMINI_SPEECH_FIELDS } from './gemini-speech-fields.ts';

const FORMATS: ReadonlySet<unknown> = new Set(['wav', 'pcm']);

/** A request for speech, as generateContent takes it. */
export const SPEECH_TO_GEMINI: Translation = {
  name: 'content from speech',
  leavesModelOut: true,
  apply: (request, { id }) => {
    const reader = new FieldReader(id, GEMINI_SPEECH_FIELDS);
    const { input, instructions, response_format = 'mp3', voice } = reader.members(request, '');
    if (!FORMATS.has(response_format))
      throw reader.refusal('response_format', 'speaks in these formats only: wav, pcm');
    const text = textAt(input, 'input');
    const told = instructions === undefined ? '' : `${textAt(instructions, 'instructions')}\n\n`;
    const voiceName = isObject(voice) ? textAt(voice.id, 'voice.id') : textAt(voice, 'voice');
    return {
      request: {
        contents: [{ role: 'user', parts: [{ text: told + text }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
        },
      },
      ignored: reader.ignored,
    };
  },
};
