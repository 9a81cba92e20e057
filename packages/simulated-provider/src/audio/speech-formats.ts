import { silentAac, silentFlac, silentMp3, silentOpus } from './silence.ts';
import { SAMPLE_RATE, speak, speechSeconds } from './speak.ts';
import { encodeWav } from './wav.ts';

export interface Speech {
  text: string;
  voice: string;
  /** 1 is normal. */
  speed: number;
}

export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

interface FormatEntry {
  contentType: string;
  encode: (speech: Speech) => Buffer;
}

/** WAV and PCM are audible. The compressed formats are valid files of the same length, but silent. */
export const SPEECH_FORMATS: Record<SpeechFormat, FormatEntry> = {
  mp3: { contentType: 'audio/mpeg', encode: silent(silentMp3) },
  opus: { contentType: 'audio/ogg; codecs=opus', encode: silent(silentOpus) },
  aac: { contentType: 'audio/aac', encode: silent(silentAac) },
  flac: { contentType: 'audio/flac', encode: silent(silentFlac) },
  wav: { contentType: 'audio/wav', encode: (speech) => encodeWav(pcmOf(speech), SAMPLE_RATE) },
  pcm: { contentType: 'audio/pcm', encode: pcmOf },
};

function pcmOf({ text, voice, speed }: Speech): Buffer {
  return speak(text, voice, speed);
}

function silent(encode: (seconds: number) => Buffer): (speech: Speech) => Buffer {
  return ({ text, speed }) => encode(speechSeconds(text, speed));
}
