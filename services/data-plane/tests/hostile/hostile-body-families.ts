import { TINY_UNITS } from '../endpoints/hostile-audio.ts';

export const MEBIBYTE = 1024 * 1024;
/** Just below the cap. */
const MAX_BYTES = 19 * MEBIBYTE;

/** A body whose processing costs, or once cost, far more than its size suggests. */
export interface HostileBody {
  path: string;
  contentType: string;
  body: Buffer;
  status: number;
}

const BOUNDARY = 'boundary-0123456789';
const MESSAGES = '"messages":[{"role":"user","content":"hello"}]';

export const filled = (unit: string, bytes = MAX_BYTES) => unit.repeat(Math.floor(bytes / unit.length));

function chat(members: string, status: number): () => HostileBody {
  return () => ({
    path: '/v1/chat/completions',
    contentType: 'application/json',
    body: Buffer.from(`{"model":"sim/chat-free","max_tokens":1,${members}}`),
    status,
  });
}

/** Just below every bound on the number of values. */
const scalars = () =>
  `{"x":[${'1,'.repeat(3_900_000)}1],"y":[${'"a",'.repeat(900_000)}"a"],"z":[${'{},'.repeat(190_000)}{}]}`;

const metadata = (value: string, status: number) => () => chat(`${MESSAGES},"metadata":${value}`, status)();

export function manyWrongMessages(): HostileBody {
  return chat(`"messages":[${filled('{"role":5},', 1.05 * MEBIBYTE).slice(0, -1)}]`, 400)();
}

/** A form whose response has no duration, so that its recording is measured, a large one on paid models. */
export function recordingForm(make: () => Buffer, model = 'sim/transcribe-pro'): () => HostileBody {
  return () => ({
    path: '/v1/audio/transcriptions',
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat([
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n` +
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="response_format"\r\n\r\ntext\r\n` +
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`,
      ),
      make(),
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ]),
    status: 200,
  });
}

/** One of each kind, as large as it may be; made when it is needed. */
export const HOSTILE_BODIES: Readonly<Record<string, () => HostileBody>> = {
  'millions of numbers': () => metadata(`[${filled('1,')}1]`, 400)(),
  'numbers of token size': () => ({
    ...metadata('', 200)(),
    path: '/v1/embeddings',
    body: Buffer.from(
      `{"model":"sim/embed-free","input":[${filled(`[${filled('12345,', 12_000)}1],`).slice(0, -1)}]}`,
    ),
  }),
  'numbers with fractions': () => metadata(`[${filled('1.25,')}1]`, 200)(),
  'nested arrays': () => metadata(filled('[1,'), 400)(),
  'empty objects': () => metadata(`[${filled('{},')}{}]`, 400)(),
  'short strings': () => metadata(`[${filled('"",')}""]`, 400)(),
  'a string of line breaks': () => metadata(`"${filled('\\n')}"`, 200)(),
  'a string of escaped letters': () => metadata(`"${filled('\\u00e9')}"`, 200)(),
  'a string of escaped quotes': () => metadata(`"${filled('\\"')}"`, 200)(),
  'letters of three bytes': () => metadata(`"${filled('漢', MAX_BYTES / 3)}"`, 200)(),
  'many keys': () =>
    chat(`${MESSAGES},${Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`).join(',')}`, 200)(),
  'keys that are numbers': () =>
    metadata(`{${Array.from({ length: 150_000 }, (_, index) => `"${index * 7}":1`).join(',')}}`, 200)(),
  'many small messages': () =>
    chat(`"messages":[${filled('{"role":"user","content":"x"},', 1.8 * MEBIBYTE).slice(0, -1)}]`, 200)(),
  'many wrong messages': manyWrongMessages,
  'many content parts': () =>
    chat(
      `"messages":[{"role":"user","content":[${filled('{"type":"x"},', 1.2 * MEBIBYTE).slice(0, -1)}]}]`,
      200,
    )(),
  'pictures in base64': () => {
    const picture = `{"type":"image_url","image_url":{"url":"data:image/png;base64,${filled('QUJD', 2 * MEBIBYTE)}"}}`;
    const pictures = Array.from({ length: 9 }, () => picture).join(',');
    return chat(`"messages":[{"role":"user","content":[${pictures}]}]`, 200)();
  },
  'a form with many parts': () => ({
    path: '/v1/audio/transcriptions',
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.from(
      Array.from(
        { length: 200_000 },
        (_, index) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\nx\r\n`,
      ).join(''),
    ),
    status: 400,
  }),
  'a form that is all boundaries': () => ({
    path: '/v1/audio/transcriptions',
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="model"\r\n\r\nsim/transcribe-free\r\n` +
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n` +
        `${filled(`\r\n--${BOUNDARY.slice(0, -1)}`)}\r\n--${BOUNDARY}--\r\n`,
    ),
    status: 200,
  }),
  'an edit whose image is all boundaries': () => ({
    path: '/v1/images/edits',
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="model"\r\n\r\nsim/image-free\r\n` +
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na boat\r\n` +
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n` +
        `${filled(`\r\n--${BOUNDARY.slice(0, -1)}`)}\r\n--${BOUNDARY}--\r\n`,
    ),
    status: 200,
  }),
  'scalars in the options of a stream': () =>
    chat(`${MESSAGES},"stream":true,"stream_options":${scalars()}`, 200)(),
  'scalars beside audio as JSON': () => ({
    path: '/v1/audio/transcriptions',
    contentType: 'application/json',
    body: Buffer.from(
      `{"model":"sim/transcribe-free","file":{"filename":"a.wav","data":"QUJD"},"more":${scalars()}}`,
    ),
    status: 400,
  }),
  'audio as JSON': () => ({
    path: '/v1/audio/transcriptions',
    contentType: 'application/json',
    body: Buffer.from(
      `{"model":"sim/transcribe-free","file":{"filename":"a.wav","data":"${filled('QUJD')}"}}`,
    ),
    status: 200,
  }),
  ...Object.fromEntries(
    Object.entries(TINY_UNITS).map(([name, make]) => [`a recording of ${name}`, recordingForm(make)]),
  ),
};
