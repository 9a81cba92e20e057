import type { ImageEditRequest } from '@model-gateway/shared';
import type { FormField, FormFile } from './incoming-form.ts';

/** A file of a form that has arrived whole. */
export interface WholeFile extends FormFile {
  /** The name of its field. */
  field: string;
  content: Buffer;
}

/** A request of POST /v1/images/edits. */
export interface ImageEdit {
  value: ImageEditRequest;
  fields: readonly FormField[];
  files: readonly WholeFile[];
}
