import { Readable } from 'node:stream';
import type { IncomingForm } from '../../interfaces/incoming-form.ts';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import type { CallerPace } from '../../interfaces/provider-protocol.ts';
import { FormWriter, LINE_END } from './form-writer.ts';

/** Writes the provider's name of the model first, then the caller's fields and file. */
export function encodeOpenAiForm(form: IncomingForm, upstreamModel: string, pace: CallerPace): ProviderBody {
  const writer = new FormWriter();
  const content = Readable.from(parts(form, upstreamModel, writer, pace), { objectMode: false });
  return { contentType: writer.contentType, content };
}

async function* parts(
  { fields, file, finished }: IncomingForm,
  upstreamModel: string,
  writer: FormWriter,
  pace: CallerPace,
): AsyncGenerator<Buffer> {
  yield writer.model(upstreamModel);
  let sent = 0;
  for (; sent < fields.length; sent++) yield* writer.callersField(fields[sent]);
  yield writer.fileHead({ ...file, field: 'file' });
  if (Buffer.isBuffer(file.content)) yield file.content;
  else yield* arriving(file.content, finished, pace);
  yield LINE_END;
  pace.pauseTimeout();
  await finished;
  pace.resumeTimeout();
  for (; sent < fields.length; sent++) yield* writer.callersField(fields[sent]);
  yield writer.end();
}

/** Throws the error of the whole form, which blames the client, instead of that of the file. */
async function* arriving(
  content: Readable,
  finished: Promise<void>,
  pace: CallerPace,
): AsyncGenerator<Buffer> {
  try {
    pace.pauseTimeout();
    for await (const chunk of content) {
      pace.resumeTimeout();
      yield chunk;
      pace.pauseTimeout();
    }
    pace.resumeTimeout();
  } catch (cause) {
    await finished;
    throw cause;
  }
}
