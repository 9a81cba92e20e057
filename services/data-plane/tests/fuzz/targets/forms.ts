import fc from 'fast-check';
import { FORGED, HONEST } from '../../endpoints/audio-files.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { TRANSCRIBE } from '../fuzzed-catalog.ts';
import { posted, requireAnswer, requireServing } from '../gateway-calls.ts';
import { mutatedText } from '../mutate.ts';

const BOUNDARY = 'boundary-0123456789';
const PATH = '/v1/audio/transcriptions';
const EDITS = '/v1/images/edits';
const SECONDS = 0.1;

const field = (name: string, value: string, more = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const MODEL = field('model', TRANSCRIBE);
const file = (content: string) => field('file', content, '; filename="a.bin"\r\nContent-Type: audio/mpeg');
const picture = (name: string) => field(name, 'PNG', '; filename="a.png"\r\nContent-Type: image/png');
const END = `--${BOUNDARY}--\r\n`;

const RECORDINGS = [
  ...Object.values(HONEST).map((make) => make(SECONDS)),
  ...Object.values(FORGED).map((make) => make(SECONDS, 3_600)),
].map((bytes) => bytes.toString('latin1'));
const FORMS = [
  MODEL + file('RIFF') + END,
  file('RIFF') + field('response_format', 'text') + MODEL + END,
  field('language', 'en') + MODEL + field('temperature', '0') + file('x') + END,
  field('model', 'sim/image-free') + field('prompt', 'a') + picture('image') + END,
  picture('image[]') + picture('mask') + field('prompt', 'a') + field('model', 'sim/image-free') + END,
];
/** Ids and lengths of WebM, MP4, Ogg, FLAC, MP3 and RIFF. */
const MEDIA_TOKENS = [
  '\x1a\x45\xdf\xa3',
  '\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff',
  '\x1f\x43\xb6\x75\xff',
  '\xa3\x81\x81',
  '\xd7\x80',
  '\xd7\x81\x01',
  '\xec\x80',
  '\xb5\x88',
  '\0\0\0\x08free',
  '\0\0\0\x01mdat',
  '\0\0\0\0moov',
  'stsz',
  'stts',
  'OggS\0',
  'OpusHead',
  '\xff\xff\xff\xff',
  '\0\0\0\0',
  '\x7f\xff\xff\xff',
  'fLaC',
  '\x84\0\0\x01',
  '\xff\xf8',
  '\xff\xfb\x90\x64',
  'ID3\x04\0\0\x7f\x7f\x7f\x7f',
  'RIFF',
  'data\xff\xff\xff\xff',
  'fmt ',
];
const FORM_TOKENS = [
  '\r\n',
  `--${BOUNDARY}`,
  `--${BOUNDARY}--`,
  `--${BOUNDARY}\r\n`,
  MODEL,
  END,
  '; filename="',
  "; filename*=utf-8''%ff",
  'name="file"',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Type: multipart/mixed; boundary=a\r\n',
  '"',
  '\0',
  '__proto__',
];

type Input =
  | { form: string; contentType: string; path?: string }
  | { recording: string; as: 'form' | 'json' };

/** Sends forms to the routes of transcriptions and image edits, and recordings to the first. */
export const forms: FuzzTarget<Input> = {
  name: 'forms',
  input: fc.oneof(
    fc.record({
      path: fc.constantFrom(PATH, EDITS),
      form: mutatedText(FORMS, FORM_TOKENS),
      contentType: fc.oneof(
        { weight: 5, arbitrary: fc.constant(`multipart/form-data; boundary=${BOUNDARY}`) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            'multipart/form-data',
            'multipart/form-data; boundary=',
            `multipart/form-data; boundary="${BOUNDARY}"; charset=utf-16`,
            `multipart/form-data; boundary=${'x'.repeat(2_000)}`,
            'multipart/mixed; boundary=a',
          ),
        },
      ),
    }),
    fc.record({ recording: mutatedText(RECORDINGS, MEDIA_TOKENS), as: fc.constantFrom('form', 'json') }),
  ),
  needsGateway: true,
  maxMs: 20_000,
  async check(input, gateway) {
    const isForm = 'form' in input || input.as === 'form';
    const contentType = 'form' in input ? input.contentType : `multipart/form-data; boundary=${BOUNDARY}`;
    const answer = isForm
      ? await posted(
          gateway,
          'form' in input ? (input.path ?? PATH) : PATH,
          contentType,
          Buffer.from('form' in input ? input.form : MODEL + file(input.recording) + END, 'latin1'),
        )
      : await posted(
          gateway,
          PATH,
          'application/json',
          JSON.stringify({
            model: TRANSCRIBE,
            file: { data: Buffer.from(input.recording, 'latin1').toString('base64'), filename: 'a.bin' },
          }),
        );
    requireAnswer(answer);
    await requireServing(gateway);
  },
};
