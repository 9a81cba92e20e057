import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';

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
