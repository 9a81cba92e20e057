import { isObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';
import { textAt } from '../../translation/field-values.ts';
import type { Translation } from '../../translation/translation.ts';

/** Rules for each field of POST /v1/audio/speech at Gemini models that speak. */
export const GEMINI_SPEECH_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  input: carried('the text of `contents`'),
  voice: carried('`speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName`: a name of Google, such as Kore'),
  instructions: carried('a text before `input`, as Google wants to be told how to speak'),
  response_format: carried('`wav` and `pcm`; the others, and so the default mp3, are refused'),
  speed: refused('speaks at one speed: say in `instructions` how fast', (value) => value === 1),
  stream_format: refused('sends its speech whole', (value) => value === 'audio'),
  user: ignored('it may be personal'),
};

const FORMATS: ReadonlySet<unknown> = new Set(['wav', 'pcm']);

export const SPEECH_TO_GEMINI: Translation = {
  name: 'content from speech',
  omitsModel: true,
  apply: (request, { id }) => {
    const reader = new FieldReader(id, GEMINI_SPEECH_FIELDS);
    const { input, instructions, response_format = 'mp3', voice } = reader.members(request, '');
    if (!FORMATS.has(response_format))
      throw reader.refusal('response_format', 'speaks in these formats only: wav, pcm');
    const text = textAt(input, 'input');
    const prefix = instructions === undefined ? '' : `${textAt(instructions, 'instructions')}\n\n`;
    const voiceName = isObject(voice) ? textAt(voice.id, 'voice.id') : textAt(voice, 'voice');
    return {
      request: {
        contents: [{ role: 'user', parts: [{ text: prefix + text }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
        },
      },
      ignored: reader.ignored,
    };
  },
};
