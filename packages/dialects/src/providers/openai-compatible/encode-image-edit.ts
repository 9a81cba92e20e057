import { Readable } from 'node:stream';
import type { ImageEdit } from '../../interfaces/image-edit.ts';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import { totalLength } from '../../json/chunks.ts';
import { FormWriter, LINE_END } from './form-writer.ts';

/** Writes the provider's name of the model first, then the caller's fields and files. */
export function encodeImageEdit({ fields, files }: ImageEdit, upstreamModel: string): ProviderBody {
  const writer = new FormWriter();
  const pieces = [
    writer.model(upstreamModel),
    ...fields.flatMap((field) => writer.callersField(field)),
    ...files.flatMap((file) => [writer.fileHead(file), ...file.chunks, LINE_END]),
    writer.end(),
  ];
  return {
    contentType: writer.contentType,
    content: Readable.from(pieces),
    length: totalLength(pieces),
    pieces,
  };
}
